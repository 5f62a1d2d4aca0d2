// Steps of training on runs of float32 numbers, each in one pass over memory.
#pragma once

#include <cstddef>

namespace eqm::simd {

struct AdamWNumbers {
  float shrink;                    // 1 - rate * weight decay
  float beta1, beta2, new1, new2;  // shares of old and new in the moments
  float rate;                      // over the correction of the first moment
  float unscale;                   // 1 / sqrt of the correction of the second moment
  float epsilon;
};

// first and second are the moments of the gradient.
void adamw(float* weight, const float* gradient, float* first, float* second, size_t count,
           const AdamWNumbers& numbers);

// average = decay * average + (1 - decay) * weight
void average(float* mean, const float* weight, size_t count, float decay, float share);

double square_sum(const float* values, size_t count);

}  // namespace eqm::simd
