// Rows of floats as vectors, whatever their length and alignment. Included once per target.
#if defined(EQM_KERNEL_SIMD_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EQM_KERNEL_SIMD_VECTOR_INL_H_
#undef EQM_KERNEL_SIMD_VECTOR_INL_H_
#else
#define EQM_KERNEL_SIMD_VECTOR_INL_H_
#endif

#include <cstddef>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using Floats = hn::Vec<FloatTag>;

constexpr size_t kLanes = hn::MaxLanes(FloatTag());  // at most

inline size_t lanes() {
  return hn::Lanes(FloatTag());
}

// Calls f(column, lanes in use) for each vector of a row of `count` numbers.
template <class Function>
HWY_INLINE void each_vector(size_t count, const Function& f) {
  const size_t n = lanes();
  size_t c = 0;
  for (; c + n <= count; c += n) f(c, n);
  if (c < count) f(c, count - c);
}

// The first `count` numbers, zeros beyond them. No byte beyond them is touched.
HWY_INLINE Floats load(const float* from, size_t count) {
  const FloatTag d;
  if (HWY_LIKELY(count == lanes())) return hn::LoadU(d, from);
#if HWY_TARGET <= HWY_AVX2  // masked loads of the processor itself
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
  HWY_ALIGN float padded[kLanes] = {};
  std::memcpy(padded, from, count * sizeof(float));
  return hn::Load(d, padded);
#endif
}

HWY_INLINE void store(Floats value, float* to, size_t count) {
  const FloatTag d;
  if (HWY_LIKELY(count == lanes())) {
    hn::StoreU(value, d, to);
    return;
  }
#if HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(value, hn::FirstN(d, count), d, to);
#else
  HWY_ALIGN float padded[kLanes];
  hn::Store(value, d, padded);
  std::memcpy(to, padded, count * sizeof(float));
#endif
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
