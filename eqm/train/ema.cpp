#include "eqm/train/ema.h"

#include <torch/torch.h>

namespace eqm {

Ema::Ema(const Backbone& backbone, double decay) : decay_(decay) {
  for (const Tensor& parameter : backbone.parameters()) {
    average_.push_back(parameter.detach().clone());
  }
}

void Ema::update(const Backbone& backbone, double decay) {
  const torch::NoGradGuard guard;
  const std::vector<Tensor> weights = backbone.parameters();
  for (size_t i = 0; i < average_.size(); ++i) {
    average_[i].mul_(decay).add_(weights[i], 1 - decay);
  }
}

void Ema::copy_to(Backbone& backbone) const {
  const torch::NoGradGuard guard;
  const std::vector<Tensor> weights = backbone.parameters();
  for (size_t i = 0; i < average_.size(); ++i) weights[i].copy_(average_[i]);
}

}  // namespace eqm
