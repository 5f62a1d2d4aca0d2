// Batches of counter-based noise: row b is a pure function of (seed, first_sample + b, draw).
#pragma once

#include "eqm/base/noise.h"
#include "eqm/tensor/torch.h"

namespace eqm {

// Standard normal, [count, shape...], float32 or float64.
Tensor normal_rows(NoiseKey first, int64_t count, const Shape& shape, torch::TensorOptions options);

// Uniform in [0, 1), [count].
Tensor uniform_rows(NoiseKey first, int64_t count, torch::TensorOptions options);

}  // namespace eqm
