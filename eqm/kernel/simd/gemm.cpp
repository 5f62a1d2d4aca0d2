#include "eqm/kernel/simd/gemm.h"

#include <algorithm>

#include "eqm/kernel/simd/scratch.h"
#include "eqm/kernel/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "eqm/kernel/simd/gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "eqm/kernel/simd/finish-inl.h"
#include "eqm/kernel/simd/pack-inl.h"
#include "eqm/kernel/simd/tile-inl.h"
#include "eqm/kernel/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {

constexpr size_t kSecondCache = 100'000;  // floats of a factor that may stay there

size_t block_height(size_t depth) {
  constexpr size_t kMost = 12;
  return std::clamp<size_t>(kSecondCache / (std::max<size_t>(depth, 1) * kStrip), 2, kMost) *
         kStrip;
}

// The block of the left factor that begins at row `begin`.
Ahead block_of(const Left& left, size_t begin, size_t rows, size_t depth) {
  if (left.transposed) return {left.data, begin, left.stride, depth, rows};
  return {left.data, begin * left.stride, left.stride, rows, depth};
}

void multiply(const Left& left, const float* panels, size_t depth, const Part& part,
              const Finish& finish, const Coming& coming) {
  thread_local Scratch scratch;
  HWY_ALIGN float sums[kStrip * 2 * kLanes];
  const size_t block = block_height(depth);
  const bool fetch_panels = (part.column_end - part.column_begin) * depth > kSecondCache;
  const FinishTile finish_sums = finish_of(finish.kind);
  // Sums with which nothing is to be done are written where they belong.
  const bool adds = finish.kind == Finish::Kind::add;
  const bool bare = (adds || finish.kind == Finish::Kind::store) && !finish.bias;
  Fetches fetches;
  fetches[Fetches::right] = coming.right;
  for (size_t begin = part.row_begin; begin < part.row_end; begin += block) {
    const Strips strips(begin, std::min(block, part.row_end - begin));
    float* packed = left.transposed ? scratch.take(strips.packed_size(depth)) : nullptr;
    if (packed) pack_strips(left, strips, depth, packed);
    const size_t end = begin + strips.rows, rest = part.row_end - end;
    fetches[Fetches::left] =
        rest > 0 ? block_of(left, end, std::min(block, rest), depth) : coming.left;
    for (size_t column = part.column_begin; column < part.column_end; column += panel()) {
      const float* factor = panels + column * depth;
      const size_t width = std::min(panel(), part.column_end - column);
      const bool more = fetch_panels && column + panel() < part.column_end;
      fetches[Fetches::panel] = Ahead(factor, panel() * depth, 0, more ? 1 : 0, panel() * depth);
      for (size_t s = 0; s < strips.count; ++s) {
        const size_t first = strips.start(s), height = strips.height(s);
        const Tile tile = tile_of(height, left.transposed);
        fetches.begin_tile();
        fetch_finish(finish, first, height, column, width, fetches);
        const bool direct = bare && width == panel();
        const Sums to = direct
                            ? Sums{finish.out + first * finish.stride + column, finish.stride, adds}
                            : Sums{sums, panel()};
        if (packed) {
          tile(packed + strips.packed_at(s, depth), height, factor, depth, fetches, to);
        } else {
          tile(left.data + first * left.stride, left.stride, factor, depth, fetches, to);
        }
        if (!direct) finish_sums(sums, first, height, column, width, finish);
      }
    }
  }
}

void pack_transposed(const float* weight, size_t stride, size_t depth, size_t begin, size_t end,
                     float* panels) {
  const size_t width = panel(), whole = depth / kTurn * kTurn;
  for (size_t column = begin; column < end; column += width) {
    const size_t used = std::min(width, end - column);
    const float* rows = weight + column * stride;
    float* out = panels + column * depth;
    for (size_t k = 0; k < whole; k += kTurn) turn_panel(rows + k, stride, used, out + k * width);
    for (size_t k = whole; k < depth; ++k) {
      for (size_t c = 0; c < width; ++c) out[k * width + c] = c < used ? rows[c * stride + k] : 0;
    }
  }
}

void pack(const float* factor, size_t stride, size_t depth, size_t columns, float* panels) {
  for (size_t column = 0; column < columns; column += panel(), panels += panel() * depth) {
    pack_panel(factor + column, stride, depth, std::min(panel(), columns - column), panels);
  }
}

size_t panel_width() {
  return panel();
}
size_t strip_height() {
  return kStrip;
}

}  // namespace eqm::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eqm::simd {

HWY_EXPORT(multiply);
HWY_EXPORT(pack_transposed);
HWY_EXPORT(pack);
HWY_EXPORT(panel_width);
HWY_EXPORT(strip_height);
HWY_EXPORT(block_height);

void multiply(const Left& left, const float* panels, size_t depth, const Part& part,
              const Finish& finish, const Coming& coming) {
  HWY_DYNAMIC_DISPATCH(multiply)(left, panels, depth, part, finish, coming);
}

void pack_transposed(const float* weight, size_t stride, size_t depth, size_t begin, size_t end,
                     float* panels) {
  HWY_DYNAMIC_DISPATCH(pack_transposed)(weight, stride, depth, begin, end, panels);
}

void pack(const float* factor, size_t stride, size_t depth, size_t columns, float* panels) {
  HWY_DYNAMIC_DISPATCH(pack)(factor, stride, depth, columns, panels);
}

size_t panel_width() {
  return HWY_DYNAMIC_DISPATCH(panel_width)();
}

size_t strip_height() {
  return HWY_DYNAMIC_DISPATCH(strip_height)();
}

size_t block_height(size_t depth) {
  return HWY_DYNAMIC_DISPATCH(block_height)(depth);
}

size_t packed_size(size_t columns, size_t depth) {
  const size_t width = panel_width();
  return (columns + width - 1) / width * width * depth;
}

}  // namespace eqm::simd
#endif
