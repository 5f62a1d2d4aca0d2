#include "eqm/descend/step_size.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace eqm {

const Names<StepSchedule>& step_schedule_names() {
  static const Names<StepSchedule> names = {{"auto", StepSchedule::automatic},
                                            {"constant", StepSchedule::constant},
                                            {"linear", StepSchedule::linear},
                                            {"cosine", StepSchedule::cosine},
                                            {"root", StepSchedule::root}};
  return names;
}

double StepSize::at(int64_t step) const {
  const double done =
      std::min(1.0, static_cast<double>(step) / static_cast<double>(std::max<int64_t>(1, limit_)));
  switch (schedule_) {
    case StepSchedule::automatic:
    case StepSchedule::constant:
      return eta_;
    case StepSchedule::linear:
      return eta_ * (1 - done);
    case StepSchedule::cosine:
      return eta_ * (1 + std::cos(std::numbers::pi * done)) / 2;
    case StepSchedule::root:
      return eta_ / std::sqrt(static_cast<double>(step + 1));
  }
  return eta_;
}

}  // namespace eqm
