// A grid of settings, as people write it: "rule=nesterov,land limit=14,60".
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace eqm::app {

struct Axis {
  std::string name;
  std::vector<std::string> values = {};
  std::vector<std::string> shown = {};  // what charts call the values; empty: as they are

  const std::string& shown_as(const std::string& value) const;
};

// One value for each axis, in their order.
using GridPoint = std::vector<std::string>;

// Axes with blanks between them. An axis without values, or named twice, is a usage error.
std::vector<Axis> axes_of(const std::string& grid);

// Short names for models: the file's own, or that of its folder, or all of it where two would be
// called the same.
std::vector<std::string> short_names(const std::vector<std::string>& models);

// All combinations, the last axis changing fastest.
std::vector<GridPoint> points_of(const std::vector<Axis>& axes);

// "eta 0.003, limit 60".
std::string text_of(const std::vector<Axis>& axes, const GridPoint& point);

}  // namespace eqm::app
