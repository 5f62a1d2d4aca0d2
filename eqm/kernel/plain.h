// The reference implementations: the operators of ops.h as compositions of LibTorch's. They serve
// all devices and precisions, define what the fused operators compute, and are differentiable any
// number of times.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm::kernel::plain {

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);
Tensor linear_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias);
Tensor layer_norm_modulate(const Tensor& h, const Tensor& shift, const Tensor& scale);
Tensor attention(const Tensor& qkv, int64_t heads);
Tensor gated_residual(const Tensor& h, const Tensor& branch, const Tensor& gate);
Tensor linear_gated(const Tensor& h, const Tensor& x, const Tensor& weight, const Tensor& bias,
                    const Tensor& gate);
Tensor mlp_gated(const Tensor& h, const Tensor& x, const Tensor& weight1, const Tensor& bias1,
                 const Tensor& weight2, const Tensor& bias2, const Tensor& gate);

}  // namespace eqm::kernel::plain
