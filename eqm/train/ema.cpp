#include "eqm/train/ema.h"

#include <algorithm>
#include <cmath>

#include "eqm/backbone/weights.h"

namespace eqm {

Ema::Ema(const Backbone& backbone) : average_(copy_of(backbone)) {
  for (const Tensor& parameter : average_->parameters()) parameter.set_requires_grad(false);
}

std::vector<kernel::WeightUpdate> Ema::pairs_with(const Backbone& backbone) const {
  const std::vector<Tensor> averages = average_->parameters(), weights = backbone.parameters();
  std::vector<kernel::WeightUpdate> pairs(averages.size());
  for (size_t i = 0; i < averages.size(); ++i) {
    pairs[i].weight = weights[i];
    pairs[i].average = averages[i];
  }
  return pairs;
}

double warm_decay(double decay, int64_t n) {
  return std::min(decay, static_cast<double>(1 + n) / static_cast<double>(10 + n));
}

double weight_of_start(double decay, int64_t updates) {
  return std::pow(decay, static_cast<double>(updates));
}

}  // namespace eqm
