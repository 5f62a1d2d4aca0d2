#include "eqm/descend/stop_test.h"

#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr double kSmaller = 0.999;  // a norm is smaller when it is below this part of the least
constexpr double kFallen = 0.5;     // of the largest norm: the sample is past the flat part

}  // namespace

void StopTest::validate() const {
  if (limit >= 0 && threshold >= 0 && fraction >= 0 && fraction < 1 && plateau >= 0) return;
  throw Error(ErrorKind::usage,
              "a descent needs a step limit, a threshold and a plateau of at least 0, and a "
              "fraction below 1",
              "0 leaves each of them out");
}

Resting Rest::with(const StopTest& test, double norm) {
  if (!begun_) {
    begun_ = true;
    first_ = largest_ = least_ = norm;
  }
  if (norm > largest_) {  // what was smaller before a rise is no fall
    largest_ = least_ = norm;
    without_smaller_ = 0;
  } else if (norm < kSmaller * least_) {
    least_ = norm;
    without_smaller_ = 0;
  } else if (least_ <= kFallen * largest_) {
    ++without_smaller_;
  }
  if (norm <= test.threshold || norm <= test.fraction * first_) return Resting::converged;
  return test.plateau > 0 && without_smaller_ >= test.plateau ? Resting::plateau : Resting::no;
}

}  // namespace eqm
