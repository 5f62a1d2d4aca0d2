// Functions of vectors. Included once per target.
#if defined(EQM_KERNEL_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EQM_KERNEL_SIMD_MATH_INL_H_
#undef EQM_KERNEL_SIMD_MATH_INL_H_
#else
#define EQM_KERNEL_SIMD_MATH_INL_H_
#endif

#include <limits>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// e^x to about an ulp; 0 or infinity where float32 has no normal number, NaN for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  constexpr float kLeast = -87.33f, kMost = 88.72f;
  const auto tiny = hn::Lt(x, hn::Set(d, kLeast));
  const auto huge = hn::Gt(x, hn::Set(d, kMost));
  // Not Min and Max, which may lose a NaN.
  x = hn::IfThenElse(tiny, hn::Set(d, kLeast), x);
  // x = n ln 2 + r, |r| <= ln 2 / 2; ln 2 in two parts keeps the digits of r.
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504089f)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  V p = hn::Set(d, 1.0f / 5040);
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 720));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 120));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 24));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 6));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const hn::RebindToSigned<D> di;
  // n = 128 at the upper end: a factor of two is split off, for 2^128 is not a float.
  const auto exponent = hn::ConvertTo(di, hn::Sub(n, hn::Set(d, 1.0f)));
  const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(exponent, hn::Set(di, 127))));
  const V result = hn::IfThenZeroElse(tiny, hn::Mul(hn::Add(p, p), power));
  return hn::IfThenElse(huge, hn::Set(d, std::numeric_limits<float>::infinity()), result);
}

// gelu(u) = u s, s = 1 / (1 + exp(-2z)), z = sqrt(2/pi) (u + 0.044715 u^3): the tanh form.
constexpr float kTwiceRootTwoOverPi = 1.5957691216057308f, kCubic = 0.044715f;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_share(D d, V u) {
  const V inner = hn::MulAdd(hn::Mul(u, u), hn::Set(d, kCubic), hn::Set(d, 1.0f));
  const V minus_2z = hn::Mul(hn::Mul(u, inner), hn::Set(d, -kTwiceRootTwoOverPi));
  return hn::Div(hn::Set(d, 1.0f), hn::Add(hn::Set(d, 1.0f), exp(d, minus_2z)));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V u) {
  return hn::Mul(u, gelu_share(d, u));
}

// gelu'(u) = s + u s (1 - s) 2z'
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_slope(D d, V u) {
  const V s = gelu_share(d, u);
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
