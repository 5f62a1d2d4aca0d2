// Horizontal bars with names at their left, values at their ends and intervals over them.
#pragma once

#include <span>
#include <string>

#include "eqm/draw/chart.h"

namespace eqm::draw {

struct Bar {
  std::string name = {};
  double value = 0;
  double low = 0, high = 0;  // of its interval; both the value for none
};

// From the top down, from zero or, on a log scale, from below the smallest value; `y_scale` and
// `y_label` of the options are those of the values, which lie along the width. What is not finite
// has no bar.
void bar_chart(Canvas& canvas, Rect area, std::span<const Bar> bars,
               const ChartOptions& options = {});

}  // namespace eqm::draw
