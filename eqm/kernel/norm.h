// Layer norm and modulation in one pass over the rows, for tensors of the fused path.
#pragma once

#include "eqm/kernel/branch.h"

namespace eqm::kernel {

inline constexpr double kLayerNormEps = 1e-6;

Branch fused_branch_off(const Tensor& h, const Tensor& shift, const Tensor& scale);

}  // namespace eqm::kernel
