// A training step as one would write it with LibTorch: the plain network, LibTorch's AdamW and an
// average of the weights.
#pragma once

#include <torch/optim/adamw.h>

#include "bench/plain_sit.h"
#include "eqm/landscape/objective.h"

namespace eqm::bench {

class PlainTraining {
 public:
  PlainTraining(std::shared_ptr<Sit> sit, ObjectiveKind kind);

  void step(const TrainingBatch& batch);

 private:
  std::shared_ptr<Sit> sit_;
  ObjectiveKind kind_;  // eqm or eqm_dot
  std::vector<Tensor> weights_, averages_;
  torch::optim::AdamW optimiser_;
};

}  // namespace eqm::bench
