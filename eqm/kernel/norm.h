// Layer norm and modulation in one pass over the rows, for tensors of the fused path.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

inline constexpr double kLayerNormEps = 1e-6;

Tensor fused_layer_norm_modulate(const Tensor& h, const Tensor& shift, const Tensor& scale);

}  // namespace eqm::kernel
