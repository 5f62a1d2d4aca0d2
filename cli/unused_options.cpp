#include "cli/unused_options.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eqm::cli {

void warn_of_unused(const DescentOptions& descent, const Objective& objective, Logger& log) {
  const std::vector<std::string> names = descent.unused(objective);
  if (names.empty()) return;
  const DescentOptions settled = descent.resolved(objective);
  const bool lands = settled.rule == RuleKind::walk_and_land;
  log.warn("--rule {} does nothing with --{}{}", name_in(rule_names(), settled.rule),
           fmt::join(names, " and --"),
           lands ? fmt::format(": it takes {} steps (--walk, --land)", settled.limit) : "");
}

}  // namespace eqm::cli
