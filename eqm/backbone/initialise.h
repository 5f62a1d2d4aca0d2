// Parameter initialisation from counter-based noise: the same weights for the same seed everywhere,
// without touching LibTorch's global generator.
#pragma once

#include <cstdint>

#include "eqm/tensor/torch.h"

namespace eqm {

// Fills tensors one after the other; each gets a stream of its own.
class Initialiser {
 public:
  explicit Initialiser(uint64_t seed) : seed_(seed) {}

  void normal(const Tensor& parameter, double deviation);
  void uniform(const Tensor& parameter, double bound);
  // Xavier uniform, the weight seen as a matrix [rows, the rest].
  void xavier(const Tensor& weight);

 private:
  uint64_t seed_;
  uint64_t stream_ = 0;
};

}  // namespace eqm
