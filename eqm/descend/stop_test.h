// When a sample has come to rest. Every test looks at the norm of the gradient over the whole
// sample; the first that holds ends the descent.
#pragma once

#include <cstdint>

namespace eqm {

struct StopTest {
  double threshold = 0;  // at most this (the paper's test); 0 for none
  double fraction = 0;   // at most this part of the first norm; 0 for none
  int64_t plateau = 0;   // no better norm for so many steps; 0 for none
  int64_t limit = 250;   // most steps

  // Throws a usage error when a number is out of its range.
  void check() const;
};

// The norms of one sample, as they come in.
class Rest {
 public:
  // Whether the sample is at rest with this norm.
  bool reached(const StopTest& test, double norm);

 private:
  bool begun_ = false;
  double first_ = 0, best_ = 0;
  int64_t without_better_ = 0;
};

}  // namespace eqm
