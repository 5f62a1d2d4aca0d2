// What training does to all parameters at every step, in one pass over each number and one division
// of work among the threads for all of them.
#pragma once

#include <vector>

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

struct AdamWStep {
  double rate, weight_decay, beta1, beta2, epsilon;
  int64_t number;  // of the step, from 1
};

struct AdamWTensors {
  Tensor weight, gradient, first, second;
};

// Changes weights and moments (Loshchilov & Hutter, 2019).
void adamw(const std::vector<AdamWTensors>& all, const AdamWStep& step);

struct AveragedTensor {
  Tensor average, weight;
};

// average = decay * average + (1 - decay) * weight
void update_averages(const std::vector<AveragedTensor>& all, double decay);

// The sum of the squares of all numbers.
double square_sum(const std::vector<Tensor>& all);

}  // namespace eqm::kernel
