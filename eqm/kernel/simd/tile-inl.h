// The register tile: kRows x 2 vectors of sums, for every target. Included once per target.
#if defined(EQM_KERNEL_SIMD_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EQM_KERNEL_SIMD_TILE_INL_H_
#undef EQM_KERNEL_SIMD_TILE_INL_H_
#else
#define EQM_KERNEL_SIMD_TILE_INL_H_
#endif

#include <array>
#include <cstddef>
#include <utility>

#include <hwy/highway.h>

#include "eqm/kernel/simd/prefetch.h"
#include "eqm/kernel/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline size_t tile_width() {
  return 2 * lanes();
}

// 24 sums of 32 registers, or 12 of 16: enough chains to hide the latency of two multiply-adds a
// cycle, with registers left for two vectors of the right factor and one number of the left.
#if HWY_TARGET <= HWY_AVX3
constexpr size_t kTileRows = 12;
#else
constexpr size_t kTileRows = 6;
#endif

// Steps between two prefetches: each takes as many cycles as the tile has rows.
constexpr size_t kPrefetchEvery = 48 / kTileRows;

// Where the sums of a tile go: [rows, tile_width()], rows `stride` apart.
struct Sums {
  float* data;
  size_t stride;
  bool add = false;  // to what is there
};

// sums [kRows, W] = left [kRows, depth] * right [depth, W], W = tile_width(); issues `prefetches`
// meanwhile.
template <size_t kRows, bool kTransposed>
void tile(const float* HWY_RESTRICT left, size_t left_stride, const float* HWY_RESTRICT right,
          size_t depth, PrefetchQueue& prefetches, const Sums& sums) {
  const FloatTag d;
  const size_t n = lanes();
  Floats sum0[kRows], sum1[kRows];
  // Three rows share a pointer: strides are cheap in addresses and pointers are few.
  constexpr size_t kGroups = (kRows + 2) / 3;
  const float* group[kGroups];
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) sum0[r] = sum1[r] = hn::Zero(d);
#pragma GCC unroll 16
  for (size_t g = 0; g < kGroups; ++g) group[g] = left + 3 * g * (kTransposed ? 1 : left_stride);
  size_t k = 0;
  const auto step = [&]() HWY_ATTR {
    const Floats right0 = hn::LoadU(d, right), right1 = hn::LoadU(d, right + n);
    right += 2 * n;
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      const Floats factor =
          hn::Set(d, kTransposed ? left[r] : group[r / 3][(r % 3) * left_stride + k]);
      sum0[r] = hn::MulAdd(factor, right0, sum0[r]);
      sum1[r] = hn::MulAdd(factor, right1, sum1[r]);
    }
    if constexpr (kTransposed) left += left_stride;
    ++k;
  };
  for (size_t rounds = depth / kPrefetchEvery; rounds > 0; --rounds) {
    prefetches.next();
#pragma GCC unroll 8
    for (size_t i = 0; i < kPrefetchEvery; ++i) step();
  }
  while (k < depth) step();
  float* HWY_RESTRICT out = sums.data;
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r, out += sums.stride) {
    if (sums.add) {
      sum0[r] = hn::Add(sum0[r], hn::LoadU(d, out));
      sum1[r] = hn::Add(sum1[r], hn::LoadU(d, out + n));
    }
    hn::StoreU(sum0[r], d, out);
    hn::StoreU(sum1[r], d, out + n);
  }
}

using Tile = void (*)(const float*, size_t, const float*, size_t, PrefetchQueue&, const Sums&);

template <bool kTransposed, size_t... kIndex>
constexpr std::array<Tile, sizeof...(kIndex)> tiles_of(std::index_sequence<kIndex...>) {
  return {tile<kIndex + 1, kTransposed>...};
}

// The tile of `rows` rows, 1 to kTileRows.
inline Tile tile_of(size_t rows, bool transposed) {
  constexpr auto kUpright = tiles_of<false>(std::make_index_sequence<kTileRows>());
  constexpr auto kTurned = tiles_of<true>(std::make_index_sequence<kTileRows>());
  return transposed ? kTurned[rows - 1] : kUpright[rows - 1];
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
