#include "bench/fma_peak.h"

#include <atomic>

#include "eqm/kernel/simd/targets.h"
#include "eqm/tensor/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fma_peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace eqm::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kChains = 12;  // hides the latency of two units
constexpr int64_t kRounds = 4'000'000;

// Adds what it computed to `total`, so that no compiler leaves it away; answers the operations.
double fma_chains(float seed, float& total) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.9999f + seed * 1e-6f), addend = hn::Set(d, seed * 1e-3f);
  hn::Vec<decltype(d)> sums[kChains];
  for (auto& sum : sums) sum = addend;
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = hn::MulAdd(sum, factor, addend);
  }
  for (const auto& sum : sums) total += hn::GetLane(hn::SumOfLanes(d, sum));
  return 2.0 * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(kRounds);
}

}  // namespace eqm::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eqm::bench {

HWY_EXPORT(fma_chains);

double run_fma_chains() {
  std::atomic<double> operations = 0;
  at::parallel_for(0, at::get_num_threads(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float total = 0;
      operations += HWY_DYNAMIC_DISPATCH(fma_chains)(static_cast<float>(i + 1), total);
      volatile float kept = total;
      (void)kept;
    }
  });
  return operations;
}

}  // namespace eqm::bench
#endif
