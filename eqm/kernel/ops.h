// The heavy operators of the backbones, which call these and not LibTorch's. Float32 on the CPU
// takes a fused path, anything else the reference implementation (plain.h); dispatch.h says how
// they are chosen. All may be differentiated twice. Letters: B batch, T tokens, D width, p patch, C
// channels.
#pragma once

#include "eqm/kernel/branch.h"
#include "eqm/kernel/linear_map.h"
#include "eqm/tensor/torch.h"

namespace eqm::kernel {

Tensor linear(const Tensor& x, const LinearMap& map);

// tanh-GELU of a linear map.
Tensor linear_gelu(const Tensor& x, const LinearMap& map);

// h + gate * map(x); h [B, T, D], gate [B, D]
Tensor linear_gated(const Tensor& h, const Tensor& x, const LinearMap& map, const Tensor& gate);

// h + gate * second(gelu(first(x))), the MLP of a block; h [B, T, D], x [B, T, K], gate [B, D]
Tensor mlp_gated(const Tensor& h, const Tensor& x, const LinearMap& first, const LinearMap& second,
                 const Tensor& gate);

// LayerNorm without affine part (eps 1e-6), then h * (1 + scale) + shift.
// h [B, T, D]; shift, scale [B, D]
Tensor layer_norm_modulate(const Tensor& h, const Tensor& shift, const Tensor& scale);

// layer_norm_modulate for what enters a residual branch, and h for what goes past it. The gradients
// of the two ways are added in one pass.
Branch branch_off(const Tensor& h, const Tensor& shift, const Tensor& scale);

// Multi-head self-attention from joint projections; rows are [q | k | v], each head-major.
// qkv [B, T, 3D] -> [B, T, D]
Tensor attention(const Tensor& qkv, int64_t heads);

// h + gate * branch; gate [B, D]
Tensor gated_residual(const Tensor& h, const Tensor& branch, const Tensor& gate);

// Image to rows of flattened p x p patches, each (c, py, px). [B, C, H, W] -> [B, T, C*p*p]
Tensor patchify(const Tensor& image, int64_t patch);

// Tokens, each (py, px, c), to an image. [B, T, p*p*C] -> [B, C, H, W], T a square number
Tensor unpatchify(const Tensor& tokens, int64_t patch, int64_t channels);

// A linear map of tokens to patches, put together as unpatchify does. [B, T, K] -> [B, C, H, W]
Tensor linear_image(const Tensor& x, const LinearMap& map, int64_t patch, int64_t channels);

}  // namespace eqm::kernel
