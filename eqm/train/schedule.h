// The learning rate over a run.
#pragma once

#include <cstdint>

#include "eqm/base/names.h"
#include "eqm/base/options.h"

namespace eqm {

enum class ScheduleKind { constant, cosine };

const Names<ScheduleKind>& schedule_names();

struct Schedule {
  double lr = 1e-4;
  ScheduleKind kind = ScheduleKind::constant;
  int64_t warm_up = 0;        // steps over which the rate rises from 0
  double final_share = 0.01;  // of lr, which the cosine ends at

  void declare(OptionSet& options);

  // The rate of step `step` (from 0) of a run of `steps`. Pure.
  double at(int64_t step, int64_t steps) const;
};

}  // namespace eqm
