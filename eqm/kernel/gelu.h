// The derivative of the tanh-GELU, itself differentiable, for tensors of the fused path.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

// grad * gelu'(u)
Tensor gelu_gradient(const Tensor& grad, const Tensor& u);

}  // namespace eqm::kernel
