#include "eqm/kernel/simd/rows.h"

#include <algorithm>
#include <cmath>

#include "eqm/kernel/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "eqm/kernel/simd/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "eqm/kernel/simd/math-inl.h"
#include "eqm/kernel/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {

// Mean and 1 / sqrt(variance + eps), the variance from centred values: no digits are lost to the
// mean.
HWY_INLINE void moments(const float* row, size_t width, float eps, float& mean, float& rstd) {
  const FloatTag d;
  Floats sum = hn::Zero(d);
  each_vector(width, [&](size_t c, size_t n) HWY_ATTR { sum = hn::Add(sum, load(row + c, n)); });
  mean = hn::GetLane(hn::SumOfLanes(d, sum)) / static_cast<float>(width);
  const Floats centre = hn::Set(d, mean);
  Floats squares = hn::Zero(d);
  each_vector(width, [&](size_t c, size_t n) HWY_ATTR {
    // Beyond the row's end load() gives zeros, which must not become -mean.
    const Floats away = hn::IfThenElseZero(hn::FirstN(d, n), hn::Sub(load(row + c, n), centre));
    squares = hn::MulAdd(away, away, squares);
  });
  const float variance = hn::GetLane(hn::SumOfLanes(d, squares)) / static_cast<float>(width);
  rstd = 1.0f / std::sqrt(variance + eps);
}

void norm_modulate(const Rows& rows, const float* h, PerImage shift, PerImage scale, float eps,
                   float* out, float* mean, float* rstd) {
  const FloatTag d;
  const Floats one = hn::Set(d, 1.0f);
  for (size_t r = rows.begin; r < rows.end; ++r) {
    const size_t image = r / rows.tokens;
    const float *in = h + r * rows.width, *add = shift.data + image * shift.stride,
                *times = scale.data + image * scale.stride;
    float* to = out + r * rows.width;
    float row_mean = 0, row_rstd = 0;
    moments(in, rows.width, eps, row_mean, row_rstd);
    const Floats centre = hn::Set(d, row_mean), unit = hn::Set(d, row_rstd);
    each_vector(rows.width, [&](size_t c, size_t n) HWY_ATTR {
      const Floats normal = hn::Mul(hn::Sub(load(in + c, n), centre), unit);
      store(hn::MulAdd(normal, hn::Add(one, load(times + c, n)), load(add + c, n)), to + c, n);
    });
    if (mean) mean[r] = row_mean;
    if (rstd) rstd[r] = row_rstd;
  }
}

void norm_modulate_backward(const Rows& rows, const float* grad, const float* h, PerImage scale,
                            const float* mean, const float* rstd, const float* grad_past,
                            float* grad_h, float* shift_sum, float* scale_sum) {
  const FloatTag d;
  const Floats one = hn::Set(d, 1.0f);
  std::fill_n(shift_sum, rows.width, 0.0f);
  std::fill_n(scale_sum, rows.width, 0.0f);
  const float share = 1.0f / static_cast<float>(rows.width);
  for (size_t r = rows.begin; r < rows.end; ++r) {
    const float *g = grad + r * rows.width, *in = h + r * rows.width,
                *times = scale.data + r / rows.tokens * scale.stride;
    const Floats centre = hn::Set(d, mean[r]), unit = hn::Set(d, rstd[r]);
    Floats sum = hn::Zero(d), moment = hn::Zero(d);
    // The gradient of the normalised row is inner = g (1 + scale); load() gives zeros past the end.
    each_vector(rows.width, [&](size_t c, size_t n) HWY_ATTR {
      const Floats value = load(g + c, n);
      const Floats normal = hn::Mul(hn::Sub(load(in + c, n), centre), unit);
      const Floats inner = hn::Mul(value, hn::Add(one, load(times + c, n)));
      sum = hn::Add(sum, inner);
      moment = hn::MulAdd(inner, normal, moment);
      store(hn::Add(load(shift_sum + c, n), value), shift_sum + c, n);
      store(hn::MulAdd(value, normal, load(scale_sum + c, n)), scale_sum + c, n);
    });
    const Floats inner_mean = hn::Set(d, share * hn::GetLane(hn::SumOfLanes(d, sum)));
    const Floats inner_moment = hn::Set(d, share * hn::GetLane(hn::SumOfLanes(d, moment)));
    const float* past = grad_past ? grad_past + r * rows.width : nullptr;
    float* to = grad_h + r * rows.width;
    each_vector(rows.width, [&](size_t c, size_t n) HWY_ATTR {
      const Floats normal = hn::Mul(hn::Sub(load(in + c, n), centre), unit);
      const Floats inner = hn::Mul(load(g + c, n), hn::Add(one, load(times + c, n)));
      const Floats rest = hn::NegMulAdd(normal, inner_moment, hn::Sub(inner, inner_mean));
      const Floats other = past ? load(past + c, n) : hn::Zero(d);
      store(hn::MulAdd(unit, rest, other), to + c, n);
    });
  }
}

void add_gated(const Rows& rows, const float* h, const float* branch, PerImage gate, float* out) {
  for (size_t r = rows.begin; r < rows.end; ++r) {
    const float* times = gate.data + r / rows.tokens * gate.stride;
    const size_t at = r * rows.width;
    each_vector(rows.width, [&](size_t c, size_t n) HWY_ATTR {
      store(hn::MulAdd(load(times + c, n), load(branch + at + c, n), load(h + at + c, n)),
            out + at + c, n);
    });
  }
}

void add_gated_backward(const Rows& rows, const float* grad, const float* branch, PerImage gate,
                        float* grad_branch, float* gate_sum) {
  std::fill_n(gate_sum, rows.width, 0.0f);
  for (size_t r = rows.begin; r < rows.end; ++r) {
    const float* times = gate.data + r / rows.tokens * gate.stride;
    const size_t at = r * rows.width;
    each_vector(rows.width, [&](size_t c, size_t n) HWY_ATTR {
      const Floats value = load(grad + at + c, n);
      store(hn::Mul(value, load(times + c, n)), grad_branch + at + c, n);
      store(hn::MulAdd(value, load(branch + at + c, n), load(gate_sum + c, n)), gate_sum + c, n);
    });
  }
}

void gelu_backward(const float* grad, const float* u, size_t count, float* out) {
  const FloatTag d;
  each_vector(count, [&](size_t c, size_t n) HWY_ATTR {
    const Floats at = load(u + c, n);
    store(hn::Mul(load(grad + c, n), gelu_slope(d, at, gelu_share(d, at))), out + c, n);
  });
}

void gelu_backward_twice(const float* along, const float* grad, const float* u, size_t count,
                         float* by_grad, float* by_u) {
  const FloatTag d;
  each_vector(count, [&](size_t c, size_t n) HWY_ATTR {
    const Floats direction = load(along + c, n), at = load(u + c, n);
    store(hn::Mul(direction, gelu_slope(d, at, gelu_share(d, at))), by_grad + c, n);
    store(hn::Mul(hn::Mul(direction, load(grad + c, n)), gelu_curvature(d, at)), by_u + c, n);
  });
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eqm::simd {

HWY_EXPORT(norm_modulate);
HWY_EXPORT(norm_modulate_backward);
HWY_EXPORT(add_gated);
HWY_EXPORT(add_gated_backward);
HWY_EXPORT(gelu_backward);
HWY_EXPORT(gelu_backward_twice);

void norm_modulate(const Rows& rows, const float* h, PerImage shift, PerImage scale, float eps,
                   float* out, float* mean, float* rstd) {
  HWY_DYNAMIC_DISPATCH(norm_modulate)(rows, h, shift, scale, eps, out, mean, rstd);
}

void norm_modulate_backward(const Rows& rows, const float* grad, const float* h, PerImage scale,
                            const float* mean, const float* rstd, const float* grad_past,
                            float* grad_h, float* shift_sum, float* scale_sum) {
  HWY_DYNAMIC_DISPATCH(norm_modulate_backward)
  (rows, grad, h, scale, mean, rstd, grad_past, grad_h, shift_sum, scale_sum);
}

void add_gated(const Rows& rows, const float* h, const float* branch, PerImage gate, float* out) {
  HWY_DYNAMIC_DISPATCH(add_gated)(rows, h, branch, gate, out);
}

void add_gated_backward(const Rows& rows, const float* grad, const float* branch, PerImage gate,
                        float* grad_branch, float* gate_sum) {
  HWY_DYNAMIC_DISPATCH(add_gated_backward)(rows, grad, branch, gate, grad_branch, gate_sum);
}

void gelu_backward(const float* grad, const float* u, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(gelu_backward)(grad, u, count, out);
}

void gelu_backward_twice(const float* along, const float* grad, const float* u, size_t count,
                         float* by_grad, float* by_u) {
  HWY_DYNAMIC_DISPATCH(gelu_backward_twice)(along, grad, u, count, by_grad, by_u);
}

}  // namespace eqm::simd
#endif
