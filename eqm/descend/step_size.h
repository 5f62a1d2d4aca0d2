// The step size η of a rule, as it changes from step to step.
#pragma once

#include <cstdint>

#include "eqm/base/names.h"

namespace eqm {

enum class StepSchedule {
  automatic,  // constant, but linear for rules whose steps do not shrink by themselves
  constant,
  linear,  // down to 0 at the step limit
  cosine,  // the same along half a cosine
  root,    // η / √(k + 1)
};

const Names<StepSchedule>& step_schedule_names();

class StepSize {
 public:
  // `limit` is the number of steps in all, for linear and cosine. A plain number is a constant.
  StepSize(double eta, StepSchedule schedule = StepSchedule::constant, int64_t limit = 250)
      : eta_(eta), schedule_(schedule), limit_(limit) {}

  double at(int64_t step) const;

 private:
  double eta_;
  StepSchedule schedule_;
  int64_t limit_;
};

}  // namespace eqm
