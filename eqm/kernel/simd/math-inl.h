// Functions of vectors. Included once per target.
#if defined(EQM_KERNEL_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EQM_KERNEL_SIMD_MATH_INL_H_
#undef EQM_KERNEL_SIMD_MATH_INL_H_
#else
#define EQM_KERNEL_SIMD_MATH_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// e^x to about an ulp for -87 <= x <= 88; rubbish beyond.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_within(D d, V x) {
  // x = n ln 2 + r, |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to a whole number, which the last
  // bits of the sum then hold; ln 2 in two parts keeps the digits of r.
  const V round = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504089f), round);
  const V n = hn::Sub(shifted, round);
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  // The polynomial of least relative error, 3e-9.
  V p = hn::Set(d, 1.40612404e-3f);
  p = hn::MulAdd(p, r, hn::Set(d, 8.37901116e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.16647773e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.166663654f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.500000043f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const hn::RebindToSigned<D> di;
  const auto power = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), power));
}

// e^x of scores of which the largest was taken off: x <= 0, or hardly above. 0 where float32 has no
// normal number, NaN for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_of_score(D d, V x) {
  const V least = hn::Set(d, -87.0f);
  const V result = hn::IfThenZeroElse(hn::Lt(x, least), exp_within(d, hn::Max(x, least)));
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

// 1 / x to about an ulp, for x >= 1. Division of 512-bit vectors is slow; the estimate of 1 / x has
// 14 bits of the 24, and a step of Newton's doubles them.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V inverse(D d, V x) {
#if HWY_TARGET <= HWY_AVX3
  const V estimate = hn::ApproximateReciprocal(x);
  return hn::MulAdd(estimate, hn::NegMulAdd(x, estimate, hn::Set(d, 1.0f)), estimate);
#else
  return hn::Div(hn::Set(d, 1.0f), x);
#endif
}

// gelu(u) = u s, s = 1 / (1 + exp(-2z)), z = sqrt(2/pi) (u + 0.044715 u^3): the tanh form.
constexpr float kTwiceRootTwoOverPi = 1.5957691216057308f, kCubic = 0.044715f;

// s is 1 to the last digit long before the lower bound of -2z, and 0 past the upper one. For NaN it
// is some number: its users multiply it by u.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_share(D d, V u) {
  const V inner = hn::MulAdd(hn::Mul(u, u), hn::Set(d, kCubic), hn::Set(d, 1.0f));
  const V minus_2z = hn::Mul(hn::Mul(u, inner), hn::Set(d, -kTwiceRootTwoOverPi));
  const V most = hn::Set(d, 80.0f);
  const V bounded = hn::Max(hn::Min(minus_2z, most), hn::Set(d, -80.0f));
  const V share = inverse(d, hn::Add(hn::Set(d, 1.0f), exp_within(d, bounded)));
  return hn::IfThenZeroElse(hn::Gt(minus_2z, most), share);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V u) {
  return hn::Mul(u, gelu_share(d, u));
}

// gelu'(u) = s + u s (1 - s) 2z', with s = gelu_share(u)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_slope(D d, V u, V s) {
  const V twice_z_slope =
      hn::Mul(hn::MulAdd(hn::Mul(u, u), hn::Set(d, 3 * kCubic), hn::Set(d, 1.0f)),
              hn::Set(d, kTwiceRootTwoOverPi));
  return hn::MulAdd(hn::Mul(u, hn::NegMulAdd(s, s, s)), twice_z_slope, s);
}

// gelu''(u), with q = 2z: s (1 - s) (2 q' + u (q'' + (1 - 2s) q'^2))
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_curvature(D d, V u) {
  const V one = hn::Set(d, 1.0f), s = gelu_share(d, u);
  const V slope = hn::Mul(hn::MulAdd(hn::Mul(u, u), hn::Set(d, 3 * kCubic), one),
                          hn::Set(d, kTwiceRootTwoOverPi));
  const V bend = hn::Mul(u, hn::Set(d, 6 * kCubic * kTwiceRootTwoOverPi));
  const V tilt = hn::NegMulAdd(hn::Add(s, s), one, one);
  const V inner = hn::MulAdd(hn::Mul(tilt, slope), slope, bend);
  return hn::Mul(hn::NegMulAdd(s, s, s), hn::MulAdd(u, inner, hn::Add(slope, slope)));
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
