// Where an axis gets its numbers: round values inside a range, with labels.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "eqm/draw/geometry.h"

namespace eqm::draw {

struct Tick {
  double at = 0;
  std::string label = {};  // empty: a small mark between the numbers
};

enum class Numbers { any, whole };  // whole: steps of at least 1

// All ticks of one spacing inside a range; asked again for a wider range it continues the spacing.
using TickRule = std::function<std::vector<Tick>(Range)>;

// Multiples of 1, 2 or 5 times a power of ten; between about/2 and 2*about of them in the (widened)
// range.
TickRule nice_rule(Range range, int about, Numbers numbers = Numbers::any);

// For an axis that shows log10 of its values: `exponents` is the range in log10; labels read
// 0.01, 1, 1000, 10⁻³. Takes the densest that stays near `about`: powers of ten (or every second,
// third ... of them), with 2 and 5, with all digits; a range narrower than that gets nice numbers.
// Up to six powers of ten have small marks in between.
TickRule log_rule(Range exponents, int about);

std::vector<Tick> nice_ticks(Range range, int about = 5);
std::vector<Tick> log_ticks(Range exponents, int about = 5);

// Ticks at the values themselves; none when a value needs more than four digits.
std::vector<Tick> ticks_at(std::span<const double> values);

}  // namespace eqm::draw
