// Training as a pure loop over steps: no clock, file or log. What a run records is done by whoever
// looks at each step (recorder.h); fit.h is the loop without that.
#pragma once

#include <functional>
#include <vector>

#include "eqm/train/decisions.h"
#include "eqm/train/step.h"

namespace eqm {

struct Loop {
  // The batch of a step (from 0) in equal parts, a pure function of it. Asked for one after the
  // other.
  std::function<std::vector<TrainingBatch>(int64_t step)> batch_at;
  std::function<void(const StepReport& report)> after_step;
  Runtime runtime = {};  // of all steps
};

// Takes steps from where the state is until the decisions say stop. A number that is not finite
// throws a numeric error; see train_step().
void run_loop(TrainingState& state, const TrainOptions& options, const Decisions& decisions,
              const Loop& loop);

}  // namespace eqm
