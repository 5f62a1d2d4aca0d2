// Elementwise work on rows of float32, one thread's share at a time. Letters: B images, T tokens of
// each, D width; row r belongs to image r / T.
#pragma once

#include <cstddef>

namespace eqm::simd {

// Rows [begin, end) of a [B*T, D] matrix.
struct Rows {
  size_t begin, end, tokens, width;
};

// A [B, D] matrix whose rows are `stride` apart: one row for all tokens of an image.
struct PerImage {
  const float* data;
  size_t stride;
};

// out = (h - mean) * rstd * (1 + scale) + shift with mean and variance of each row; mean and rstd
// [B*T] are kept where they are not null.
void norm_modulate(const Rows& rows, const float* h, PerImage shift, PerImage scale, float eps,
                   float* out, float* mean, float* rstd);

// The derivative of norm_modulate. grad_past, if not null, is a gradient of h that came another way
// and is added. Sums over the rows go to shift_sum and scale_sum [D], which are overwritten: all
// rows of a call belong to one image.
void norm_modulate_backward(const Rows& rows, const float* grad, const float* h, PerImage scale,
                            const float* mean, const float* rstd, const float* grad_past,
                            float* grad_h, float* shift_sum, float* scale_sum);

// out = h + gate * branch
void add_gated(const Rows& rows, const float* h, const float* branch, PerImage gate, float* out);

// grad_branch = grad * gate, gate_sum [D] = sum of grad * branch over the rows, which are of one
// image.
void add_gated_backward(const Rows& rows, const float* grad, const float* branch, PerImage gate,
                        float* grad_branch, float* gate_sum);

// out = grad * gelu'(u)
void gelu_backward(const float* grad, const float* u, size_t count, float* out);

// The derivative of gelu_backward along `along`: by_grad = along * gelu'(u), by_u = along * grad *
// gelu''(u)
void gelu_backward_twice(const float* along, const float* grad, const float* u, size_t count,
                         float* by_grad, float* by_u);

}  // namespace eqm::simd
