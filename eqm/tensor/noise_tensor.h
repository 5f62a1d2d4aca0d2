// Batches of counter-based noise: row b is a pure function of (seed, first_sample + b, draw).
#pragma once

#include "eqm/base/noise.h"
#include "eqm/tensor/torch.h"

namespace eqm {

// Standard normal, [count, shape...], float32 or float64.
Tensor normal_rows(NoiseKey first, int64_t count, const Shape& shape, torch::TensorOptions options);

// Uniform in [0, 1), [count].
Tensor uniform_rows(NoiseKey first, int64_t count, torch::TensorOptions options);

// 64 random bits, [count] int64: a seed for each row.
Tensor seed_rows(NoiseKey first, int64_t count);

// What dropout multiplies x [B, ...] with: 0 with this probability (in steps of 2^-16), else what
// keeps the mean. Row b is a pure function of (seeds[b], layer).
Tensor dropout_rows(const Tensor& seeds, uint32_t layer, double probability, const Tensor& x);

}  // namespace eqm
