// A plain training loop for models that fit in memory and train in seconds: AdamW, a cosine
// learning rate, an average of the weights.
#pragma once

#include <functional>

#include "eqm/base/progress.h"
#include "eqm/landscape/model.h"
#include "eqm/tensor/runtime.h"

namespace eqm {

struct FitOptions {
  int64_t steps = 4000;
  double lr = 2e-3;    // falls to 1 % of itself along a cosine
  double ema = 0.995;  // ramps up from 0, so that the start is soon forgotten
};

// Trains the model in place and leaves the averaged weights in it. `batch_at` gives the batch of a
// step, a pure function of it, on the model's device. A non-finite loss throws a numeric error that
// names the step.
void fit(Model& model, const std::function<TrainingBatch(int64_t step)>& batch_at,
         const FitOptions& options, Progress& progress, const Runtime& runtime = {});

}  // namespace eqm
