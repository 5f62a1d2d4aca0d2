// The parts of a linear map x w^T + bias, as one argument.
#pragma once

#include "eqm/kernel/packed_weight.h"

namespace eqm::kernel {

// Refers to what the caller holds, for one call.
struct LinearMap {
  const Tensor& weight;            // [N, K]
  const Tensor& bias;              // [N]; may be undefined
  PackedWeight* packed = nullptr;  // the weight's own; saves packing it at every call
};

}  // namespace eqm::kernel
