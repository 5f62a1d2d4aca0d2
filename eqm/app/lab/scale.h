// How large experiments are run: the recipe behind each role a model can have, and the settings of
// measurements. experiments/scales/ has a TOML file for each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eqm/app/lab/settings.h"

namespace eqm::app {

struct ScaleRole {
  std::string role = {};
  std::string recipe = {};
  std::string change = {};   // settings of training
  std::string measure = {};  // settings of what measures such a model, in place of the scale's
};

struct ScaleMeasure {
  std::string kind = {};
  std::string options = {};
};

struct LabScale {
  std::string name = {};
  std::string about = {};
  std::vector<ScaleRole> roles = {};
  std::vector<ScaleMeasure> measures = {};

  const ScaleRole& role(const std::string& name) const;  // kind input where there is none
  std::string options_of(const std::string& kind) const;
};

std::vector<std::string> scale_names();
LabScale read_scale(const std::string& name);

}  // namespace eqm::app
