#include "eqm/train/decisions.h"

#include <utility>

namespace eqm {

Decisions::Decisions(int64_t steps)
    : steps_(steps),
      cadence_({.log_every = 0,
                .evaluate_every = 0,
                .sample_every = 0,
                .quality_every = 0,
                .checkpoint_every = 0}),
      stop_requested_([] { return false; }) {}

Decisions::Decisions(const TrainOptions& options, std::function<bool()> stop_requested)
    : steps_(options.steps),
      cadence_(options.cadence),
      stop_requested_(std::move(stop_requested)) {}

bool keeps_work_after(const Error& error) {
  return error.kind() != ErrorKind::numeric;
}

}  // namespace eqm
