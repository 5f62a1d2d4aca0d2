#include "eqm/kernel/simd/attention.h"

#include <algorithm>
#include <limits>

#include "eqm/kernel/simd/gemm.h"
#include "eqm/kernel/simd/scratch.h"
#include "eqm/kernel/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "eqm/kernel/simd/attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "eqm/kernel/simd/math-inl.h"
#include "eqm/kernel/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {

// Replaces a row of scores by exp(scale * (score - largest)); returns the sum and the largest.
void exponentiate(float* row, size_t count, float scale, float& sum, float& largest) {
  const FloatTag d;
  Floats most = hn::Set(d, -std::numeric_limits<float>::infinity());
  each_vector(count, [&](size_t c, size_t n) HWY_ATTR {
    most = hn::Max(most, hn::IfThenElse(hn::FirstN(d, n), load(row + c, n), most));
  });
  largest = hn::GetLane(hn::MaxOfLanes(d, most));
  const Floats top = hn::Set(d, largest), factor = hn::Set(d, scale);
  Floats total = hn::Zero(d);
  each_vector(count, [&](size_t c, size_t n) HWY_ATTR {
    const Floats e = exp_of_score(d, hn::Mul(factor, hn::Sub(load(row + c, n), top)));
    total = hn::Add(total, hn::IfThenElseZero(hn::FirstN(d, n), e));
    store(e, row + c, n);
  });
  sum = hn::GetLane(hn::SumOfLanes(d, total));
}

void scale_row(float* row, size_t count, float factor) {
  const Floats times = hn::Set(FloatTag(), factor);
  each_vector(count, [&](size_t c, size_t n)
                         HWY_ATTR { store(hn::Mul(times, load(row + c, n)), row + c, n); });
}

// scores -> weights p, as the forward pass had them; grads (by p) -> grads by scores:
// p (grad - delta) scale, delta being the sum of p grad. That sum is taken of the very numbers it
// is subtracted from: where one token has all the weight, nothing is left.
void weights_and_gradients(float* scores, float* grads, size_t count, float scale, RowSum sum) {
  const FloatTag d;
  const Floats factor = hn::Set(d, scale), top = hn::Set(d, sum.largest),
               inverse = hn::Set(d, sum.inverse);
  Floats total = hn::Zero(d);
  each_vector(count, [&](size_t c, size_t n) HWY_ATTR {
    const Floats e = exp_of_score(d, hn::Mul(factor, hn::Sub(load(scores + c, n), top)));
    const Floats p = hn::IfThenElseZero(hn::FirstN(d, n), hn::Mul(e, inverse));
    total = hn::MulAdd(p, load(grads + c, n), total);
    store(p, scores + c, n);
  });
  const Floats delta = hn::SumOfLanes(d, total);
  each_vector(count, [&](size_t c, size_t n) HWY_ATTR {
    const Floats p = load(scores + c, n);
    store(hn::Mul(hn::Mul(p, factor), hn::Sub(load(grads + c, n), delta)), grads + c, n);
  });
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eqm::simd {

HWY_EXPORT(exponentiate);
HWY_EXPORT(scale_row);
HWY_EXPORT(weights_and_gradients);

namespace {

// Rows of weights that exist at a time: `floats` in all, whole tiles.
size_t rows_at_once(size_t tokens, size_t floats) {
  const size_t rows = tile_rows();
  return std::max<size_t>(floats / (tokens * rows), 1) * rows;
}

}  // namespace

void attend(const Head& head, size_t begin, size_t end, float* out, size_t out_stride,
            RowSum* sums) {
  thread_local Scratch scratch;
  constexpr size_t kFloats = 16 << 10;  // a block of scores that stays in the first caches
  const size_t tokens = head.tokens, block = rows_at_once(tokens, kFloats);
  const size_t k_size = packed_size(tokens, head.width), v_size = packed_size(head.width, tokens);
  float* keys = scratch.take(k_size + v_size + block * (tokens + 1));
  float *values = keys + k_size, *scores = values + v_size, *inverses = scores + block * tokens;
  pack_transposed(head.k, head.stride, head.width, 0, tokens, keys);
  pack(head.v, head.stride, tokens, head.width, values);
  const auto exponentiate_row = HWY_DYNAMIC_DISPATCH(exponentiate);
  const auto scale_one_row = HWY_DYNAMIC_DISPATCH(scale_row);
  for (size_t first = begin; first < end; first += block) {
    const size_t rows = std::min(block, end - first);
    multiply({.data = head.q + first * head.stride, .stride = head.stride}, keys, head.width,
             {0, rows, 0, tokens}, {.out = scores, .stride = tokens});
    float* to = out + first * out_stride;
    for (size_t r = 0; r < rows; ++r) {
      float sum = 0, largest = 0;
      exponentiate_row(scores + r * tokens, tokens, head.scale, sum, largest);
      inverses[r] = 1.0f / sum;
      if (sums) sums[first + r] = {largest, inverses[r]};
    }
    multiply({.data = scores, .stride = tokens}, values, tokens, {0, rows, 0, head.width},
             {.out = to, .stride = out_stride});
    for (size_t r = 0; r < rows; ++r) scale_one_row(to + r * out_stride, head.width, inverses[r]);
  }
}

void attend_backward(const Head& head, const HeadGradient& given, float* grad_q, float* grad_k,
                     float* grad_v) {
  thread_local Scratch scratch;
  constexpr size_t kFloats = 64 << 10;  // larger blocks: sums over them are added to memory
  const size_t tokens = head.tokens, width = head.width;
  const size_t block = std::min(rows_at_once(tokens, kFloats), tokens);
  const size_t turned = packed_size(tokens, width), upright = packed_size(width, tokens);
  float* keys = scratch.take(2 * turned + 3 * upright + 2 * block * tokens);
  float *values = keys + turned, *k_rows = values + turned, *q_rows = k_rows + upright,
        *grad_rows = q_rows + upright, *weights = grad_rows + upright,
        *grads = weights + block * tokens;
  pack_transposed(head.k, head.stride, width, 0, tokens, keys);
  pack_transposed(head.v, head.stride, width, 0, tokens, values);
  pack(head.k, head.stride, tokens, width, k_rows);
  const auto weights_and_gradients_of_row = HWY_DYNAMIC_DISPATCH(weights_and_gradients);
  for (size_t first = 0; first < tokens; first += block) {
    const size_t rows = std::min(block, tokens - first);
    const float *q = head.q + first * head.stride, *grad = given.grad + first * given.stride;
    multiply({.data = q, .stride = head.stride}, keys, width, {0, rows, 0, tokens},
             {.out = weights, .stride = tokens});
    multiply({.data = grad, .stride = given.stride}, values, width, {0, rows, 0, tokens},
             {.out = grads, .stride = tokens});
    for (size_t r = 0; r < rows; ++r) {
      weights_and_gradients_of_row(weights + r * tokens, grads + r * tokens, tokens, head.scale,
                                   given.sums[first + r]);
    }
    multiply({.data = grads, .stride = tokens}, k_rows, tokens, {0, rows, 0, width},
             {.out = grad_q + first * head.stride, .stride = head.stride});
    const Epilogue::Kind kind = first == 0 ? Epilogue::Kind::store : Epilogue::Kind::add;
    pack(q, head.stride, rows, width, q_rows);
    pack(grad, given.stride, rows, width, grad_rows);
    multiply({.data = grads, .stride = tokens, .transposed = true}, q_rows, rows,
             {0, tokens, 0, width}, {.kind = kind, .out = grad_k, .stride = head.stride});
    multiply({.data = weights, .stride = tokens, .transposed = true}, grad_rows, rows,
             {0, tokens, 0, width}, {.kind = kind, .out = grad_v, .stride = head.stride});
  }
}

}  // namespace eqm::simd
#endif
