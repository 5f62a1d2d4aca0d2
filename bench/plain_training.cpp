#include "bench/plain_training.h"

#include <torch/autograd.h>

#include "eqm/landscape/corruption.h"

namespace eqm::bench {
namespace {

std::vector<Tensor> trainable(const Sit& sit) {
  std::vector<Tensor> result;
  for (const Tensor& parameter : sit.parameters()) {
    if (parameter.requires_grad()) result.push_back(parameter);
  }
  return result;
}

}  // namespace

PlainTraining::PlainTraining(std::shared_ptr<Sit> sit, ObjectiveKind kind)
    : sit_(std::move(sit)),
      kind_(kind),
      weights_(trainable(*sit_)),
      optimiser_(weights_, torch::optim::AdamWOptions(1e-4).weight_decay(0)) {
  for (const Tensor& weight : weights_) averages_.push_back(weight.detach().clone());
}

void PlainTraining::step(const TrainingBatch& batch) {
  const Tensor target = target_gradient(batch.x, batch.noise, batch.gamma, Magnitude());
  Tensor state = corrupt(batch.x, batch.noise, batch.gamma);
  if (kind_ == ObjectiveKind::eqm_dot) state.requires_grad_(true);
  Tensor field = plain_forward(*sit_, state, batch.labels);
  if (kind_ == ObjectiveKind::eqm_dot) {
    field = torch::autograd::grad({(state * field).sum()}, {state}, {}, true, true)[0];
  }
  optimiser_.zero_grad();
  (field - target).square().mean().backward();
  optimiser_.step();
  const torch::NoGradGuard guard;
  for (size_t i = 0; i < weights_.size(); ++i) {
    averages_[i].mul_(0.9999).add_(weights_[i], 1e-4);
  }
}

}  // namespace eqm::bench
