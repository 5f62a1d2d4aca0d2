#include "eqm/train/ema.h"

#include <algorithm>

#include "eqm/backbone/weights.h"
#include "eqm/kernel/update.h"

namespace eqm {

Ema::Ema(const Backbone& backbone) : average_(copy_of(backbone)) {
  for (const Tensor& parameter : average_->parameters()) parameter.set_requires_grad(false);
}

void Ema::update(const Backbone& backbone, double decay) {
  const std::vector<Tensor> average = average_->parameters(), weights = backbone.parameters();
  std::vector<kernel::AveragedTensor> pairs;
  for (size_t i = 0; i < average.size(); ++i) pairs.push_back({average[i], weights[i]});
  kernel::update_averages(pairs, decay);
}

double warm_decay(double decay, int64_t n) {
  return std::min(decay, static_cast<double>(1 + n) / static_cast<double>(10 + n));
}

}  // namespace eqm
