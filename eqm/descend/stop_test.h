// When a sample has come to rest. Every test looks at the norm of the gradient over the whole
// sample; the first that holds ends the descent.
#pragma once

#include <cstdint>

namespace eqm {

struct StopTest {
  double threshold = 0;  // at most this (the paper's test); 0 for none
  double fraction = 0;   // at most this part of the first norm; 0 for none
  int64_t plateau = 0;   // no smaller norm for so many steps once it has fallen; 0 for none
  int64_t limit = 250;   // most steps

  // Throws a usage error when a number is out of its range.
  void validate() const;
};

enum class Resting {
  no,
  converged,  // the norm is small enough
  plateau,    // it falls no further
};

// The norms of one sample, as they come in. On the first part of the way the norm of most
// landscapes is flat, so that a plateau counts only once it has fallen to half of the largest
// before.
class Rest {
 public:
  // Whether the sample is at rest with this norm.
  Resting with(const StopTest& test, double norm);

 private:
  bool begun_ = false;
  double first_ = 0, largest_ = 0, least_ = 0;
  int64_t without_smaller_ = 0;
};

}  // namespace eqm
