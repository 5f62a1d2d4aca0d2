// Normal numbers in float64, the same for the same seed.
#pragma once

#include "eqm/tensor/noise_tensor.h"

namespace eqm::test {

inline Tensor normal(uint64_t seed, int64_t count, const Shape& shape) {
  return normal_rows({.seed = seed}, count, shape, torch::kFloat64);
}

inline Tensor normal(uint64_t seed, int64_t count, int64_t dimension) {
  return normal(seed, count, Shape{dimension});
}

inline Tensor normal(uint64_t seed, const Shape& shape) {
  return normal(seed, 1, shape)[0];
}

}  // namespace eqm::test
