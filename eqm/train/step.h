// One step of training: what changes, and how.
#pragma once

#include <span>

#include "eqm/landscape/model.h"
#include "eqm/tensor/runtime.h"
#include "eqm/train/adamw.h"
#include "eqm/train/ema.h"
#include "eqm/train/loss_window.h"
#include "eqm/train/options.h"

namespace eqm {

// All that training changes. A checkpoint holds exactly this, but for the memory of steps.
struct TrainingState {
  Model model;
  Ema ema;
  AdamW optimiser;
  int64_t step = 0;   // steps done
  LossWindow losses;  // what is reported of them
  Workspace workspace;

  TrainingState(Model start, const AdamWOptions& options);

  // The model with the averaged weights.
  Model averaged() const;
};

struct StepReport {
  double loss = 0;
  double gradient_norm = 0;  // before clipping
  double lr = 0;
};

// Takes one optimiser step on a batch that comes in equal parts, on the device of the model. Of the
// runtime it obeys autocast and workspaces; threads and kernels are those of the calling thread
// (RuntimeScope), as changing them at each step would cost more than the step. A number that is not
// finite throws a numeric error that names step and tensor, before any weight has changed.
StepReport train_step(TrainingState& state, const TrainOptions& options,
                      std::span<const TrainingBatch> parts, const Runtime& runtime);

}  // namespace eqm
