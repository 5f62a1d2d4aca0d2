// Multi-head attention of one image and head in float32, reading q, k, v where the joint projection
// put them. No more than a block of rows of the T x T weights exists at a time, and none are kept:
// a backward pass makes them again from each row's largest score and sum.
#pragma once

#include <cstddef>

namespace eqm::simd {

// One head of one image. q, k, v [T, head] with rows `stride` apart.
struct Head {
  const float *q, *k, *v;
  size_t stride, tokens, width;
  float scale;  // of the scores
};

// Of a row of scores: what exponentials are taken relative to, and 1 over their sum.
struct RowSum {
  float largest, inverse;
};

// Rows [begin, end) of out [T, head], `out_stride` apart; sums [T] may be null.
void attend(const Head& head, size_t begin, size_t end, float* out, size_t out_stride,
            RowSum* sums);

// What a backward pass reads: the gradient by the result, [T, head], and what the forward kept.
struct HeadGradient {
  const float* grad;
  size_t stride;
  const RowSum* sums;  // [T]
};

// Gradients by q, k, v, which lie like q, k, v themselves.
void attend_backward(const Head& head, const HeadGradient& given, float* grad_q, float* grad_k,
                     float* grad_v);

}  // namespace eqm::simd
