#include "eqm/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace eqm {

const Names<ScheduleKind>& schedule_names() {
  static const Names<ScheduleKind> names = {{"constant", ScheduleKind::constant},
                                            {"cosine", ScheduleKind::cosine}};
  return names;
}

void Schedule::declare(OptionSet& options) {
  options.number("lr", lr, {.least = 0, .most = 1, .above = true}, "learning rate");
  options.choice("schedule", kind, schedule_names(), "learning-rate schedule");
  options.count("warm-up", warm_up, Range::between(0, 1e9),
                "warm-up steps, over which the learning rate rises from 0");
  options.number("final-share", final_share, Range::between(0, 1),
                 "fraction of the learning rate at the end of the cosine schedule");
}

double Schedule::at(int64_t step, int64_t steps) const {
  if (step < warm_up) return lr * static_cast<double>(step + 1) / static_cast<double>(warm_up);
  if (kind == ScheduleKind::constant) return lr;
  const auto span = static_cast<double>(std::max<int64_t>(1, steps - warm_up));
  const double share = std::min(1.0, static_cast<double>(step - warm_up) / span);
  const double least = final_share * lr;
  return least + 0.5 * (lr - least) * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace eqm
