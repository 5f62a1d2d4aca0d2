// Layer norm and modulation in one pass over the rows, for tensors of the fused path.
#pragma once

#include "eqm/kernel/branch.h"

namespace eqm::kernel {

inline constexpr double kLayerNormEps = 1e-6;

// Of h [B, T, D]; shift and scale [B, D].
Branch fused_branch_off(const Tensor& h, const Tensor& shift, const Tensor& scale);

}  // namespace eqm::kernel
