// Exponential moving average of weights: ema ← decay · ema + (1-decay) · weights, over every
// parameter, fixed ones included. Samples are always drawn from the average.
#pragma once

#include <memory>
#include <vector>

#include "eqm/backbone/backbone.h"
#include "eqm/kernel/update.h"

namespace eqm {

class Ema {
 public:
  // Starts as a copy of the weights.
  explicit Ema(const Backbone& backbone);

  // Every weight of the backbone with its average, for the pass that changes both.
  std::vector<kernel::WeightUpdate> pairs_with(const Backbone& backbone) const;

  // The average as a network of its own; it does not ask for gradients.
  const std::shared_ptr<Backbone>& backbone() const { return average_; }

 private:
  std::shared_ptr<Backbone> average_;
};

// The decay of update number `n` (from 0) while the average warms up: the start is soon forgotten.
double warm_decay(double decay, int64_t n);

// The weight of what the average started from, after so many updates of a constant decay: 0 to 1.
double weight_of_start(double decay, int64_t updates);

}  // namespace eqm
