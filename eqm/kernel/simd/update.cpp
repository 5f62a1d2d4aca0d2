#include "eqm/kernel/simd/update.h"

#include <algorithm>

#include "eqm/kernel/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "eqm/kernel/simd/update.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "eqm/kernel/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {

void adamw(float* weight, const float* gradient, float* first, float* second, size_t count,
           const AdamWNumbers& numbers) {
  const FloatTag d;
  const Floats shrink = hn::Set(d, numbers.shrink), beta1 = hn::Set(d, numbers.beta1),
               beta2 = hn::Set(d, numbers.beta2), new1 = hn::Set(d, numbers.new1),
               new2 = hn::Set(d, numbers.new2), rate = hn::Set(d, numbers.rate),
               unscale = hn::Set(d, numbers.unscale), epsilon = hn::Set(d, numbers.epsilon);
  each_vector(count, [&](size_t i, size_t n) HWY_ATTR {
    const Floats g = load(gradient + i, n);
    const Floats m = hn::MulAdd(beta1, load(first + i, n), hn::Mul(new1, g));
    const Floats v = hn::MulAdd(beta2, load(second + i, n), hn::Mul(new2, hn::Mul(g, g)));
    const Floats size = hn::MulAdd(hn::Sqrt(v), unscale, epsilon);
    const Floats step = hn::Div(hn::Mul(rate, m), size);
    store(m, first + i, n);
    store(v, second + i, n);
    store(hn::MulSub(shrink, load(weight + i, n), step), weight + i, n);
  });
}

void average(float* mean, const float* weight, size_t count, float decay, float share) {
  const FloatTag d;
  const Floats keep = hn::Set(d, decay), take = hn::Set(d, share);
  each_vector(count, [&](size_t i, size_t n) HWY_ATTR {
    store(hn::MulAdd(keep, load(mean + i, n), hn::Mul(take, load(weight + i, n))), mean + i, n);
  });
}

// Sums of a few thousand squares in float32, their sum in double.
double square_sum(const float* values, size_t count) {
  constexpr size_t kRun = 4096;
  const FloatTag d;
  double total = 0;
  for (size_t begin = 0; begin < count; begin += kRun) {
    Floats sum = hn::Zero(d);
    each_vector(std::min(kRun, count - begin), [&](size_t i, size_t n) HWY_ATTR {
      const Floats value = load(values + begin + i, n);
      sum = hn::MulAdd(value, value, sum);
    });
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
  }
  return total;
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eqm::simd {

HWY_EXPORT(adamw);
HWY_EXPORT(average);
HWY_EXPORT(square_sum);

void adamw(float* weight, const float* gradient, float* first, float* second, size_t count,
           const AdamWNumbers& numbers) {
  HWY_DYNAMIC_DISPATCH(adamw)(weight, gradient, first, second, count, numbers);
}

void average(float* mean, const float* weight, size_t count, float decay, float share) {
  HWY_DYNAMIC_DISPATCH(average)(mean, weight, count, decay, share);
}

double square_sum(const float* values, size_t count) {
  return HWY_DYNAMIC_DISPATCH(square_sum)(values, count);
}

}  // namespace eqm::simd
#endif
