#include "eqm/app/lab/measurement_kind.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"

namespace eqm::app {

const std::vector<MeasurementKind>& measurement_kinds() {
  static const std::vector<MeasurementKind> kKinds = {evaluate_kind(), score_kind(),
                                                      neighbours_kind(), composition_kind()};
  return kKinds;
}

const MeasurementKind& measurement_kind(const std::string& name, const std::string& origin) {
  const auto found = std::ranges::find(measurement_kinds(), name, &MeasurementKind::name);
  if (found != measurement_kinds().end()) return *found;
  std::vector<std::string> names;
  for (const MeasurementKind& kind : measurement_kinds()) names.push_back(kind.name);
  throw Error(ErrorKind::input, fmt::format("{}: there is no measurement '{}'", origin, name),
              suggestion(name, names));
}

void require_unset(const std::vector<std::string>& keys, const MeasurementRequest& request) {
  for (const std::string& key : keys) {
    if (std::ranges::find(request.settings, key, &Settings::value_type::first) ==
        request.settings.end()) {
      continue;
    }
    throw Error(ErrorKind::input, fmt::format("{}: the lab itself sets '{}'", request.origin, key),
                "leave it out");
  }
}

std::string identity_of(const OptionSet& set) {
  std::string text;
  for (const Option& option : set.options()) {
    if (option.section == "runtime" || option.name == "out" || option.name == "model") continue;
    text += fmt::format("{}={}\n", option.name, to_text(option.get()));
  }
  return text;
}

}  // namespace eqm::app
