// Where an axis gets its numbers: round values inside a range, with labels.
#pragma once

#include <string>
#include <vector>

#include "eqm/draw/geometry.h"

namespace eqm::draw {

struct Tick {
  double at = 0;
  std::string label = {};
};

// Multiples of 1, 2 or 5 times a power of ten inside the (widened) range; between about/2 and
// 2*about of them.
std::vector<Tick> nice_ticks(Range range, int about = 5);

// For an axis that shows log10 of its values: `exponents` is the range in log10; labels read
// 0.01, 1, 1000, 10⁻³. A range with fewer than three powers of ten gets 0.2 and 0.5 as well, a
// narrower one nice numbers.
std::vector<Tick> log_ticks(Range exponents, int about = 5);

}  // namespace eqm::draw
