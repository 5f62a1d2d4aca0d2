// Multi-head attention of one image and head in float32, reading q, k, v where the joint projection
// put them. No more than a block of rows of the T x T weights exists at a time, and none are kept:
// a backward pass makes them again from each row's log-sum-exp.
#pragma once

#include <cstddef>

namespace eqm::simd {

// One head of one image. q, k, v [T, head] with rows `stride` apart.
struct Head {
  const float *q, *k, *v;
  size_t stride, tokens, width;
  float scale;  // of the scores
};

// Rows [begin, end) of out [T, head], `out_stride` apart; log_sums [T] may be null.
void attend(const Head& head, size_t begin, size_t end, float* out, size_t out_stride,
            float* log_sums);

// What a backward pass reads: the forward's result and the gradient by it, both [T, head].
struct HeadGradient {
  const float *out, *grad;
  size_t stride;  // of both
  const float* log_sums;
};

// Gradients by q, k, v, which lie like q, k, v themselves.
void attend_backward(const Head& head, const HeadGradient& given, float* grad_q, float* grad_k,
                     float* grad_v);

}  // namespace eqm::simd
