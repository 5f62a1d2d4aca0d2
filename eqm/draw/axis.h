// An axis of a chart: the range it shows and its ticks, chosen so that data do not stand on the
// frame, no end of the axis is far from a number, and labels do not run into each other.
#pragma once

#include <span>
#include <vector>

#include "eqm/draw/geometry.h"
#include "eqm/draw/ticks.h"

namespace eqm::draw {

enum class Scale { linear, log };

enum class Side { bottom, left };

struct AxisOptions {
  Scale scale = Scale::linear;
  Side side = Side::bottom;
  double length = 0;  // pixels
  Numbers numbers = Numbers::any;
  double room_low = 0, room_high = 0;   // beyond the data, as shares of their range
  std::span<const double> wanted = {};  // raw values; ticks exactly there when they fit
};

struct Axis {
  Range range = {};
  std::vector<Tick> ticks = {};
};

// `data` is on the scale already: exponents for Scale::log. An end is moved out to the next tick
// when more than a seventh of the axis would have no number.
Axis fit_axis(Range data, const AxisOptions& options);

// Whether every finite value is a whole number, and there is one.
bool are_whole(std::span<const double> values);

}  // namespace eqm::draw
