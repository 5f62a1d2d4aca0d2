// What `eqm landscape` can be told. The defaults give a convincing picture on every built-in set.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/base/options.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/objective.h"

namespace eqm {

inline constexpr int64_t kFlowSteps = 100;  // of a flow, whatever eta and limit are

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

  DescentOptions descent = {.rule = RuleKind::gradient_descent,
                            .eta = 0.1,
                            .mu = 0.35,
                            .limit = 40,
                            .threshold = 0.01};  // flows take 100 steps of 1/100 instead

  int64_t samples = 2000;
  int64_t paths = 60;
  int64_t seed = 0;

  void declare(OptionSet& options);
  // Rules that involve several options.
  void check() const;
};

}  // namespace eqm
