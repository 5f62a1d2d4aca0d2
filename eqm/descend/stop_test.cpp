#include "eqm/descend/stop_test.h"

#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr double kBetter = 0.999;  // a norm is better when it is below this part of the best

}  // namespace

void StopTest::check() const {
  if (limit >= 0 && threshold >= 0 && fraction >= 0 && fraction < 1 && plateau >= 0) return;
  throw Error(ErrorKind::usage,
              "a descent needs a step limit, a threshold and a plateau of at least 0, and a "
              "fraction below 1",
              "0 leaves each of them out");
}

bool Rest::reached(const StopTest& test, double norm) {
  if (!begun_) {
    begun_ = true;
    first_ = best_ = norm;
  } else if (norm < kBetter * best_) {
    best_ = norm;
    without_better_ = 0;
  } else {
    ++without_better_;
  }
  return norm <= test.threshold || norm <= test.fraction * first_ ||
         (test.plateau > 0 && without_better_ >= test.plateau);
}

}  // namespace eqm
