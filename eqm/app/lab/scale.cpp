#include "eqm/app/lab/scale.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/app/shipped.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/base/toml.h"

namespace eqm::app {

std::vector<std::string> scale_names() {
  return {"tiny", "small", "paper"};
}

const ScaleRole& LabScale::role(const std::string& wanted) const {
  const auto found = std::ranges::find(roles, wanted, &ScaleRole::role);
  if (found != roles.end()) return *found;
  std::vector<std::string> known;
  for (const ScaleRole& one : roles) known.push_back(one.role);
  throw Error(ErrorKind::input,
              fmt::format("the scale {} has no models of role '{}'", name, wanted),
              suggestion(wanted, known));
}

std::string LabScale::options_of(const std::string& kind) const {
  const auto found = std::ranges::find(measures, kind, &ScaleMeasure::kind);
  return found == measures.end() ? "" : found->options;
}

LabScale read_scale(const std::string& name) {
  LabScale scale;
  scale.name = name;
  OptionSet top;
  top.text("about", scale.about, "");
  read_toml_lists(find_shipped(ShippedKind::experiment, "scales/" + name), top,
                  {{"role",
                    [&](OptionSet& set) {
                      ScaleRole& role = scale.roles.emplace_back();
                      set.text("role", role.role, "");
                      set.text("recipe", role.recipe, "");
                      set.text("change", role.change, "");
                      set.text("measure", role.measure, "");
                    }},
                   {"measure", [&](OptionSet& set) {
                      ScaleMeasure& measure = scale.measures.emplace_back();
                      set.text("kind", measure.kind, "");
                      set.text("options", measure.options, "");
                    }}});
  return scale;
}

}  // namespace eqm::app
