// Linear maps with what follows them, in one pass over the products, for tensors of the fused path.
#pragma once

#include "eqm/kernel/linear_map.h"
#include "eqm/tensor/torch.h"

namespace eqm::kernel {

// gelu(map(x)); x [M, K]
Tensor fused_linear_gelu(const Tensor& x, const LinearMap& map);

// h + gate * map(x); h [B, T, D], x [B, T, K], gate [B, D]
Tensor fused_linear_gated(const Tensor& h, const Tensor& x, const LinearMap& map,
                          const Tensor& gate);

// h + gate * second(gelu(first(x))); h [B, T, D], x [B, T, K], gate [B, D]
Tensor fused_mlp_gated(const Tensor& h, const Tensor& x, const LinearMap& first,
                       const LinearMap& second, const Tensor& gate);

// map(x) as patches of an image; x [B, T, K], the map's weight [p*p*C, K] -> [B, C, H, W]
Tensor fused_linear_image(const Tensor& x, const LinearMap& map, int64_t patch, int64_t channels);

// h + gate * branch; h, branch [B, T, D]
Tensor fused_gated_residual(const Tensor& h, const Tensor& branch, const Tensor& gate);

}  // namespace eqm::kernel
