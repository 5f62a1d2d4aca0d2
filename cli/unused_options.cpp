#include "cli/unused_options.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eqm::cli {

void warn_of_unused(const DescentOptions& descent, const Objective& objective, Logger& log) {
  const std::vector<std::string> names = descent.unused(objective);
  if (names.empty()) return;
  log.warn("--rule {} does nothing with --{}",
           name_in(rule_names(), descent.resolved(objective).rule), fmt::join(names, " and --"));
}

}  // namespace eqm::cli
