// What training does to all parameters at every step, in one pass over each number and one division
// of work among the threads for all of them.
#pragma once

#include <vector>

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

struct WeightUpdate {
  Tensor weight;
  Tensor gradient, first, second;  // with AdamW's moments; undefined where the weight stays
  Tensor average;                  // follows the weight; may be undefined
};

struct AdamWStep {
  double rate, weight_decay, beta1, beta2, epsilon;
  int64_t number;  // of the step, from 1
};

// A step of AdamW (Loshchilov & Hutter, 2019), then
// average = decay * average + (1 - decay) * weight
void update_weights(const std::vector<WeightUpdate>& all, const AdamWStep& step, double decay);

// The sum of the squares of all numbers.
double square_sum(const std::vector<Tensor>& all);

}  // namespace eqm::kernel
