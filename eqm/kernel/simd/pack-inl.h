// Copies of factors in the order in which tiles read them: packed B of the right one, packed A of a
// transposed left one. Included once per target.
#if defined(EQM_KERNEL_SIMD_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EQM_KERNEL_SIMD_PACK_INL_H_
#undef EQM_KERNEL_SIMD_PACK_INL_H_
#else
#define EQM_KERNEL_SIMD_PACK_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <hwy/highway.h>

#include "eqm/kernel/simd/gemm.h"
#include "eqm/kernel/simd/tile-inl.h"
#include "eqm/kernel/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies `columns` columns, at most those of a tile, and fills up with zeros.
inline void pack_b_tile(const float* factor, size_t stride, size_t depth, size_t columns,
                        float* out) {
  const FloatTag d;
  for (size_t k = 0; k < depth; ++k, factor += stride, out += tile_width()) {
    if (columns == tile_width()) {
      hn::Store(hn::LoadU(d, factor), d, out);
      hn::Store(hn::LoadU(d, factor + lanes()), d, out + lanes());
    } else {
      std::memcpy(out, factor, columns * sizeof(float));
      std::fill_n(out + columns, tile_width() - columns, 0.0f);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR
constexpr size_t kTurn = 1;

HWY_INLINE void turn(const float* rows, size_t, float* out, size_t) {
  *out = *rows;
}
#else
// The columns of four rows: result i holds, in each block of four numbers, column i of the block.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void turn_four(D d, const float* rows, size_t stride, V* columns) {
  const hn::Repartition<double, D> pairs;
  const auto as_pairs = [&](V v) HWY_ATTR { return hn::BitCast(pairs, v); };
  const V r0 = hn::LoadU(d, rows), r1 = hn::LoadU(d, rows + stride),
          r2 = hn::LoadU(d, rows + 2 * stride), r3 = hn::LoadU(d, rows + 3 * stride);
  const auto low01 = as_pairs(hn::InterleaveLower(d, r0, r1)),
             low23 = as_pairs(hn::InterleaveLower(d, r2, r3)),
             high01 = as_pairs(hn::InterleaveUpper(d, r0, r1)),
             high23 = as_pairs(hn::InterleaveUpper(d, r2, r3));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}

#if HWY_TARGET <= HWY_AVX2
constexpr size_t kTurn = 8;
#else
constexpr size_t kTurn = 4;
#endif

// out[k * width + c] = rows[c * stride + k] for kTurn rows and as many k.
HWY_INLINE void turn(const float* rows, size_t stride, float* out, size_t width) {
  const hn::FixedTag<float, kTurn> d;
  hn::Vec<decltype(d)> top[4];
  turn_four(d, rows, stride, top);
#if HWY_TARGET <= HWY_AVX2
  hn::Vec<decltype(d)> bottom[4];
  turn_four(d, rows + 4 * stride, stride, bottom);
  for (size_t i = 0; i < 4; ++i) {
    hn::StoreU(hn::ConcatLowerLower(d, bottom[i], top[i]), d, out + i * width);
    hn::StoreU(hn::ConcatUpperUpper(d, bottom[i], top[i]), d, out + (i + 4) * width);
  }
#else
  for (size_t i = 0; i < 4; ++i) hn::StoreU(top[i], d, out + i * width);
#endif
}
#endif

// Columns [0, used) of kTurn rows of packed B; zeros up to the end of the tile.
HWY_INLINE void turn_b_tile(const float* rows, size_t stride, size_t used, float* out) {
  const size_t width = tile_width(), whole = used / kTurn * kTurn;
  for (size_t c = 0; c < whole; c += kTurn) turn(rows + c * stride, stride, out + c, width);
  for (size_t c = whole; c < width; c += kTurn) {
    float few[kTurn * kTurn] = {};
    for (size_t i = c; i < used; ++i) {
      std::memcpy(few + kTurn * (i - c), rows + i * stride, kTurn * sizeof(float));
    }
    turn(few, kTurn, out + c, width);
  }
}

constexpr size_t kTileRowVectors = (kTileRows + kLanes - 1) / kLanes;

// A block of rows, cut into tiles of nearly equal height.
struct RowTiles {
  size_t begin, rows, count;

  RowTiles(size_t first, size_t rows_)
      : begin(first), rows(rows_), count((rows_ + kTileRows - 1) / kTileRows) {}
  size_t start(size_t s) const { return begin + rows * s / count; }
  size_t height(size_t s) const { return start(s + 1) - start(s); }

  // Where a tile lies when all are packed. It is written in whole vectors, which need a gap.
  size_t packed_at(size_t s, size_t depth) const {
    return (start(s) - begin) * depth + s * kTileRowVectors * kLanes;
  }
  size_t packed_size(size_t depth) const { return packed_at(count, depth); }
};

// Copies `kCount` tiles of a transposed factor, each row after row.
template <size_t kCount>
void pack_some_a(const Left& left, const RowTiles& tiles, size_t first, size_t depth,
                 float* packed) {
  const FloatTag d;
  const float* from[kCount];
  float* to[kCount];
  size_t height[kCount];
  Floats sums[kCount][kTileRowVectors];
  const auto in_use = [&](size_t i, size_t v) {  // of vector v
    return std::min(kLanes, height[i] - std::min(height[i], v * kLanes));
  };
  for (size_t i = 0; i < kCount; ++i) {
    from[i] = left.data + tiles.start(first + i);
    to[i] = packed + tiles.packed_at(first + i, depth);
    height[i] = tiles.height(first + i);
    for (Floats& sum : sums[i]) sum = hn::Zero(d);
  }
  for (size_t k = 0; k < depth; ++k) {
#pragma GCC unroll 4
    for (size_t i = 0; i < kCount; ++i) {
#pragma GCC unroll 8
      for (size_t v = 0; v < kTileRowVectors; ++v) {
        const Floats values = load(from[i] + v * kLanes, in_use(i, v));
        hn::StoreU(values, d, to[i] + v * kLanes);  // the next row overwrites what is too much
        sums[i][v] = hn::Add(sums[i][v], values);
      }
      from[i] += left.stride;
      to[i] += height[i];
    }
  }
  if (!left.row_sums) return;
  for (size_t i = 0; i < kCount; ++i) {
    float* out = left.row_sums + tiles.start(first + i);
    for (size_t v = 0; v < kTileRowVectors; ++v, out += kLanes) {
      store(hn::Add(load(out, in_use(i, v)), sums[i][v]), out, in_use(i, v));
    }
  }
}

// Copies the tiles of a transposed factor one after another: read in place, every step of a tile
// would be on another page. A few at a time, so that the lines of a row are read as a whole.
inline void pack_a(const Left& left, const RowTiles& tiles, size_t depth, float* packed) {
  constexpr size_t kAtOnce = 4;
  size_t s = 0;
  for (; s + kAtOnce <= tiles.count; s += kAtOnce) {
    pack_some_a<kAtOnce>(left, tiles, s, depth, packed);
  }
  for (; s < tiles.count; ++s) pack_some_a<1>(left, tiles, s, depth, packed);
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
