#include "eqm/train/ema.h"

#include <algorithm>

#include "eqm/backbone/weights.h"

namespace eqm {

Ema::Ema(const Backbone& backbone) : average_(copy_of(backbone)) {
  for (const Tensor& parameter : average_->parameters()) parameter.set_requires_grad(false);
}

void Ema::update(const Backbone& backbone, double decay) {
  const torch::NoGradGuard guard;
  const std::vector<Tensor> average = average_->parameters(), weights = backbone.parameters();
  for (size_t i = 0; i < average.size(); ++i) {
    average[i].mul_(decay).add_(weights[i], 1 - decay);
  }
}

double warm_decay(double decay, int64_t n) {
  return std::min(decay, static_cast<double>(1 + n) / static_cast<double>(10 + n));
}

}  // namespace eqm
