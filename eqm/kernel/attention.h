// Multi-head attention without permuted copies and without the T x T weights, for tensors of the
// fused path.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

// qkv [B, T, 3D], contiguous
Tensor fused_attention(const Tensor& qkv, int64_t heads);

}  // namespace eqm::kernel
