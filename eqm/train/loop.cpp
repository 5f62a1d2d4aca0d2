#include "eqm/train/loop.h"

namespace eqm {

void run_loop(TrainingState& state, const TrainOptions& options, const Decisions& decisions,
              const Loop& loop) {
  const RuntimeScope scope(loop.runtime);
  while (decisions.take_step(state.step)) {
    const std::vector<TrainingBatch> parts = loop.batch_at(state.step);
    loop.after_step(train_step(state, options, parts, loop.runtime));
  }
}

}  // namespace eqm
