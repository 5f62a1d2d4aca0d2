// Exponential moving average of weights: ema ← decay · ema + (1-decay) · weights, over every
// parameter, fixed ones included. Samples are always drawn from the average.
#pragma once

#include <vector>

#include "eqm/backbone/backbone.h"

namespace eqm {

class Ema {
 public:
  // Starts as a copy of the weights.
  Ema(const Backbone& backbone, double decay);

  void update(const Backbone& backbone) { update(backbone, decay_); }
  void update(const Backbone& backbone, double decay);
  // Puts the average in the place of the weights.
  void copy_to(Backbone& backbone) const;

  const std::vector<Tensor>& weights() const { return average_; }

 private:
  double decay_;
  std::vector<Tensor> average_;  // in the order of backbone.parameters()
};

}  // namespace eqm
