#include "bench/fma_peak.h"

#include <chrono>
#include <thread>
#include <vector>

namespace eqm::bench {
namespace {

constexpr int kChains = 12;  // hides the latency of two FMA units
constexpr int kLanes = 16;   // one 512-bit or two 256-bit registers
constexpr int64_t kRounds = 4'000'000;

using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));

// The compiler makes one version per instruction set; the loader picks the best the machine has,
// before the thread sanitizer is ready for it.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define EQM_EVERY_TARGET __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define EQM_EVERY_TARGET
#endif

EQM_EVERY_TARGET float chains(float seed) {
  Vector sums[kChains], factor, addend;
  for (int lane = 0; lane < kLanes; ++lane) {
    factor[lane] = 0.9999f + seed * 1e-6f;
    addend[lane] = seed * 1e-3f;
  }
  for (Vector& sum : sums) sum = addend;
  for (int64_t round = 0; round < kRounds; ++round) {
    for (Vector& sum : sums) sum = sum * factor + addend;
  }
  float total = 0;
  for (const Vector& sum : sums) {
    for (int lane = 0; lane < kLanes; ++lane) total += sum[lane];
  }
  return total;
}

}  // namespace

double fma_peak(int threads) {
  volatile float sink = 0;  // keeps the work alive
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    std::vector<float> results(static_cast<size_t>(threads));
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back(
          [&results, i] { results[static_cast<size_t>(i)] = chains(static_cast<float>(i + 1)); });
    }
    for (std::thread& worker : workers) worker.join();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const float result : results) sink = sink + result;
    const double flops = 2.0 * kChains * kLanes * static_cast<double>(kRounds) * threads;
    best = std::max(best, flops / seconds * 1e-9);
  }
  return best;
}

}  // namespace eqm::bench
