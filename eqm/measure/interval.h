// A number with the range it is believed to lie in.
#pragma once

namespace eqm {

struct Interval {
  double low = 0, high = 0;
};

struct RangedValue {
  double value = 0;
  Interval range;  // of 90 % of resamplings
};

}  // namespace eqm
