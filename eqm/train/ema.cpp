#include "eqm/train/ema.h"

#include <algorithm>

#include "eqm/backbone/weights.h"

namespace eqm {

Ema::Ema(const Backbone& backbone) : average_(copy_of(backbone)) {
  for (const Tensor& parameter : average_->parameters()) parameter.set_requires_grad(false);
}

void Ema::update(const Backbone& backbone, double decay) {
  kernel::update_weights(updates(backbone), {}, decay);
}

std::vector<kernel::WeightUpdate> Ema::updates(const Backbone& backbone) const {
  const std::vector<Tensor> averages = average_->parameters(), weights = backbone.parameters();
  std::vector<kernel::WeightUpdate> updates(averages.size());
  for (size_t i = 0; i < averages.size(); ++i) {
    updates[i].weight = weights[i];
    updates[i].average = averages[i];
  }
  return updates;
}

double warm_decay(double decay, int64_t n) {
  return std::min(decay, static_cast<double>(1 + n) / static_cast<double>(10 + n));
}

}  // namespace eqm
