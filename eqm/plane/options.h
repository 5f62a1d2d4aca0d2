// The options of a 2-D study. The defaults give a convincing picture on every built-in set.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/base/options.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/objective.h"

namespace eqm {

inline constexpr int64_t kFlowSteps = 100, kLandscapeSteps = 40;  // where no limit is given
inline constexpr double kPlaneThreshold = 0.01;

struct PlaneOptions {
  std::string data = "moons";
  int64_t points = 8192;
  double spread = 1.0;
  double focus = 2.0;

  ObjectiveKind objective = ObjectiveKind::eqm;
  Magnitude magnitude = {.kind = MagnitudeKind::linear, .a = 0.8, .b = 1.4, .lambda = 1.0};
  bool flow_beside = true;

  int64_t steps = 5000;
  int64_t batch = 256;
  double lr = 3e-3;
  int64_t width = 128;
  int64_t depth = 3;
  int64_t fourier = 64;

  // As asked for; descent_for() settles what is left open: a limit and an η of 0, the rule.
  DescentOptions descent = {.limit = 0, .threshold = kPlaneThreshold};

  int64_t samples = 2000;
  int64_t paths = 60;
  int64_t seed = 0;

  void declare(OptionSet& options);

  // How samples of an objective are drawn, with what two dimensions need settled. In 2-D the
  // automatic rule is gradient descent, not walk and land (docs/landscapes.md says why).
  DescentOptions descent_for(ObjectiveKind kind) const;

  // Throws a usage error for options that do not go together, such as a descent that does not suit
  // the objective.
  void validate() const;
};

}  // namespace eqm
