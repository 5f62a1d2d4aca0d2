// Options of the descent that were given and that its rule does nothing with.
#pragma once

#include <string>
#include <vector>

#include "eqm/app/sweep_grid.h"
#include "eqm/base/log.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/guidance.h"

namespace eqm::app {

// Not for recipes, where they may be meant for other runs; sweeps have their own below.
void warn_of_unused(const DescentOptions& descent, const Objective& objective, Logger& log);

struct SweepSetting {
  std::string model;
  Objective objective;  // the model's
  DescentOptions descent;
  GuidanceOptions guidance = {};
  double gamma = 0;
};

// Of a sweep: names options that no point of the grid reads, and axes whose values lead to the same
// samples. settings[i] is that of points[i], with the options that were given as flags.
void warn_of_idle_settings(const std::vector<Axis>& axes, const std::vector<GridPoint>& points,
                           const std::vector<SweepSetting>& settings, Logger& log);

}  // namespace eqm::app
