#include "eqm/kernel/simd/gemm.h"

#include <algorithm>

#include "eqm/kernel/simd/scratch.h"
#include "eqm/kernel/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "eqm/kernel/simd/gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "eqm/kernel/simd/epilogue-inl.h"
#include "eqm/kernel/simd/pack-inl.h"
#include "eqm/kernel/simd/tile-inl.h"
#include "eqm/kernel/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {

constexpr size_t kSecondCache = 100'000;  // floats of a factor that may stay there

size_t block_height(size_t depth) {
  constexpr size_t kMost = 12;
  return std::clamp<size_t>(kSecondCache / (std::max<size_t>(depth, 1) * kTileRows), 2, kMost) *
         kTileRows;
}

// The block of the left factor that begins at row `begin`.
Prefetch block_of(const Left& left, size_t begin, size_t rows, size_t depth) {
  if (left.transposed) return {left.data, begin, left.stride, depth, rows};
  return {left.data, begin * left.stride, left.stride, rows, depth};
}

void multiply(const Left& left, const float* packed_b, size_t depth, const Part& part,
              const Epilogue& epilogue, const NextFactors& next) {
  thread_local Scratch scratch;
  HWY_ALIGN float sums[kTileRows * 2 * kLanes];
  const size_t block = block_height(depth);
  const bool prefetch_b = (part.column_end - part.column_begin) * depth > kSecondCache;
  const EpilogueTile run_epilogue = epilogue_of(epilogue.kind);
  // Sums with which nothing is to be done are written where they belong.
  const bool adds = epilogue.kind == Epilogue::Kind::add;
  const bool bare = (adds || epilogue.kind == Epilogue::Kind::store) && !epilogue.bias;
  PrefetchQueue prefetches;
  prefetches[PrefetchQueue::right] = next.right;
  for (size_t begin = part.row_begin; begin < part.row_end; begin += block) {
    const RowTiles tiles(begin, std::min(block, part.row_end - begin));
    float* packed = left.transposed ? scratch.take(tiles.packed_size(depth)) : nullptr;
    if (packed) pack_a(left, tiles, depth, packed);
    const size_t end = begin + tiles.rows, rest = part.row_end - end;
    prefetches[PrefetchQueue::left] =
        rest > 0 ? block_of(left, end, std::min(block, rest), depth) : next.left;
    for (size_t column = part.column_begin; column < part.column_end; column += tile_width()) {
      const float* factor = packed_b + column * depth;
      const size_t width = std::min(tile_width(), part.column_end - column);
      const bool more = prefetch_b && column + tile_width() < part.column_end;
      prefetches[PrefetchQueue::packed_b] =
          Prefetch(factor, tile_width() * depth, 0, more ? 1 : 0, tile_width() * depth);
      for (size_t s = 0; s < tiles.count; ++s) {
        const size_t first = tiles.start(s), height = tiles.height(s);
        const Tile tile = tile_of(height, left.transposed);
        prefetches.begin_tile();
        prefetch_epilogue(epilogue, first, height, column, width, prefetches);
        const bool direct = bare && width == tile_width();
        const Sums to =
            direct ? Sums{epilogue.out + first * epilogue.stride + column, epilogue.stride, adds}
                   : Sums{sums, tile_width()};
        if (packed) {
          tile(packed + tiles.packed_at(s, depth), height, factor, depth, prefetches, to);
        } else {
          tile(left.data + first * left.stride, left.stride, factor, depth, prefetches, to);
        }
        if (!direct) run_epilogue(sums, first, height, column, width, epilogue);
      }
    }
  }
}

void pack_transposed(const float* weight, size_t stride, size_t depth, size_t begin, size_t end,
                     float* packed_b) {
  const size_t width = tile_width(), whole = depth / kTurn * kTurn;
  for (size_t column = begin; column < end; column += width) {
    const size_t used = std::min(width, end - column);
    const float* rows = weight + column * stride;
    float* out = packed_b + column * depth;
    for (size_t k = 0; k < whole; k += kTurn) turn_b_tile(rows + k, stride, used, out + k * width);
    for (size_t k = whole; k < depth; ++k) {
      for (size_t c = 0; c < width; ++c) out[k * width + c] = c < used ? rows[c * stride + k] : 0;
    }
  }
}

void pack(const float* factor, size_t stride, size_t depth, size_t columns, float* packed_b) {
  for (size_t column = 0; column < columns;
       column += tile_width(), packed_b += tile_width() * depth) {
    pack_b_tile(factor + column, stride, depth, std::min(tile_width(), columns - column), packed_b);
  }
}

size_t tile_columns() {
  return tile_width();
}
size_t tile_rows() {
  return kTileRows;
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eqm::simd {

HWY_EXPORT(multiply);
HWY_EXPORT(pack_transposed);
HWY_EXPORT(pack);
HWY_EXPORT(tile_columns);
HWY_EXPORT(tile_rows);
HWY_EXPORT(block_height);

void multiply(const Left& left, const float* packed_b, size_t depth, const Part& part,
              const Epilogue& epilogue, const NextFactors& next) {
  HWY_DYNAMIC_DISPATCH(multiply)(left, packed_b, depth, part, epilogue, next);
}

void pack_transposed(const float* weight, size_t stride, size_t depth, size_t begin, size_t end,
                     float* packed_b) {
  HWY_DYNAMIC_DISPATCH(pack_transposed)(weight, stride, depth, begin, end, packed_b);
}

void pack(const float* factor, size_t stride, size_t depth, size_t columns, float* packed_b) {
  HWY_DYNAMIC_DISPATCH(pack)(factor, stride, depth, columns, packed_b);
}

size_t tile_columns() {
  return HWY_DYNAMIC_DISPATCH(tile_columns)();
}

size_t tile_rows() {
  return HWY_DYNAMIC_DISPATCH(tile_rows)();
}

size_t block_height(size_t depth) {
  return HWY_DYNAMIC_DISPATCH(block_height)(depth);
}

size_t packed_size(size_t columns, size_t depth) {
  const size_t width = tile_columns();
  return (columns + width - 1) / width * width * depth;
}

}  // namespace eqm::simd
#endif
