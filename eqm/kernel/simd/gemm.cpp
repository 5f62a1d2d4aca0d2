#include "eqm/kernel/simd/gemm.h"

#include <algorithm>
#include <cstring>

#include "eqm/kernel/simd/scratch.h"
#include "eqm/kernel/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "eqm/kernel/simd/gemm.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "eqm/kernel/simd/math-inl.h"
#include "eqm/kernel/simd/tile-inl.h"
#include "eqm/kernel/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eqm::simd::HWY_NAMESPACE {

// Takes a row of sums to where the product belongs. The kind is known to the compiler: what it does
// not need costs nothing.
template <Finish::Kind kKind>
HWY_INLINE void finish_vector(Floats y, size_t at, const float* bias, const float* gate,
                              const Finish& finish, size_t count) {
  const FloatTag d;
  if (bias) y = hn::Add(y, load(bias, count));
  if (kKind != Finish::Kind::store && finish.kept) store(y, finish.kept + at, count);
  if constexpr (kKind == Finish::Kind::add) y = hn::Add(y, load(finish.out + at, count));
  if constexpr (kKind == Finish::Kind::gelu) y = gelu(d, y);
  if constexpr (kKind == Finish::Kind::gelu_slope) {
    y = hn::Mul(y, gelu_slope(d, load(finish.argument + at, count)));
  }
  if constexpr (kKind == Finish::Kind::gate) {
    y = hn::MulAdd(load(gate, count), y, load(finish.residual + at, count));
  }
  store(y, finish.out + at, count);
}

// A tile of sums, its rows `panel()` apart.
template <Finish::Kind kKind>
void finish_tile(const float* sums, size_t row, size_t rows, size_t column, size_t columns,
                 const Finish& finish) {
  const FloatTag d;
  const size_t n = lanes();
  const float* bias = finish.bias ? finish.bias + column : nullptr;
  for (size_t r = 0; r < rows; ++r, sums += 2 * n) {
    const size_t at = (row + r) * finish.stride + column;
    const float* gate = nullptr;
    if constexpr (kKind == Finish::Kind::gate) {
      gate = finish.gate + (row + r) / finish.rows_per_gate * finish.gate_stride + column;
    }
    for (size_t c = 0; c < columns; c += n) {
      finish_vector<kKind>(hn::Load(d, sums + c), at + c, bias ? bias + c : nullptr,
                           gate ? gate + c : nullptr, finish, std::min(n, columns - c));
    }
  }
}

// Number by number: the columns of a last layer are few.
template <>
void finish_tile<Finish::Kind::image>(const float* sums, size_t row, size_t rows, size_t column,
                                      size_t columns, const Finish& finish) {
  const size_t side = finish.grid * finish.patch, plane = side * side;
  for (size_t r = 0; r < rows; ++r, sums += panel()) {
    const size_t place = (row + r) % (finish.grid * finish.grid);
    const size_t image = (row + r) / (finish.grid * finish.grid);
    float* corner = finish.out + image * finish.channels * plane +
                    place / finish.grid * finish.patch * side + place % finish.grid * finish.patch;
    for (size_t c = 0; c < columns; ++c) {
      const size_t pixel = (column + c) / finish.channels, channel = (column + c) % finish.channels;
      const float bias = finish.bias ? finish.bias[column + c] : 0;
      corner[channel * plane + pixel / finish.patch * side + pixel % finish.patch] = sums[c] + bias;
    }
  }
}

using FinishTile = void (*)(const float*, size_t, size_t, size_t, size_t, const Finish&);

FinishTile finish_of(Finish::Kind kind) {
  switch (kind) {
    case Finish::Kind::store:
      return finish_tile<Finish::Kind::store>;
    case Finish::Kind::add:
      return finish_tile<Finish::Kind::add>;
    case Finish::Kind::gelu:
      return finish_tile<Finish::Kind::gelu>;
    case Finish::Kind::gelu_slope:
      return finish_tile<Finish::Kind::gelu_slope>;
    case Finish::Kind::gate:
      return finish_tile<Finish::Kind::gate>;
    case Finish::Kind::image:
      return finish_tile<Finish::Kind::image>;
  }
  return nullptr;
}

// What finishing a tile will read and write.
void fetch_finish(const Finish& finish, size_t row, size_t rows, size_t column, size_t columns,
                  Fetches& fetches) {
  if (finish.kind == Finish::Kind::image) return;
  const auto tile_of = [&](const float* matrix) {
    if (!matrix) return Ahead();
    return Ahead(matrix + row * finish.stride + column, finish.stride, rows, columns);
  };
  fetches[Fetches::read] = tile_of(finish.argument ? finish.argument : finish.residual);
  fetches[Fetches::kept] = tile_of(finish.kept);
  fetches[Fetches::written] = tile_of(finish.out);
}

// Copies `columns` columns, at most a panel's, and fills up with zeros.
void pack_panel(const float* factor, size_t stride, size_t depth, size_t columns, float* out) {
  const FloatTag d;
  for (size_t k = 0; k < depth; ++k, factor += stride, out += panel()) {
    if (columns == panel()) {
      hn::Store(hn::LoadU(d, factor), d, out);
      hn::Store(hn::LoadU(d, factor + lanes()), d, out + lanes());
    } else {
      std::memcpy(out, factor, columns * sizeof(float));
      std::fill_n(out + columns, panel() - columns, 0.0f);
    }
  }
}

// The panel of a row-major factor that starts at `column`; the last one may need a copy that does
// not end before the vectors do.
const float* open_panel(const Right& right, size_t column, size_t columns, size_t depth,
                        size_t& stride) {
  thread_local Scratch scratch;
  stride = right.packed ? panel() : right.stride;
  if (right.packed) return right.data + column * depth;
  if (column + panel() <= columns) return right.data + column;
  float* copy = scratch.take(depth * panel());
  pack_panel(right.data + column, right.stride, depth, columns - column, copy);
  stride = panel();
  return copy;
}

constexpr size_t kSecondCache = 100'000;  // floats of a factor that may stay there

size_t block_height(size_t depth) {
  constexpr size_t kMost = 12;
  return std::clamp<size_t>(kSecondCache / (std::max<size_t>(depth, 1) * kStrip), 2, kMost) *
         kStrip;
}

constexpr size_t kLanes = hn::MaxLanes(FloatTag());
constexpr size_t kStripVectors = (kStrip + kLanes - 1) / kLanes;

// A block of rows, cut into strips of nearly equal height.
struct Strips {
  size_t begin, rows, count;

  Strips(size_t first, size_t rows_)
      : begin(first), rows(rows_), count((rows_ + kStrip - 1) / kStrip) {}
  size_t start(size_t s) const { return begin + rows * s / count; }
  size_t height(size_t s) const { return start(s + 1) - start(s); }

  // Where a strip lies when all are packed. It is written in whole vectors, which need a gap.
  size_t packed_at(size_t s, size_t depth) const {
    return (start(s) - begin) * depth + s * kStripVectors * kLanes;
  }
  size_t packed_size(size_t depth) const { return packed_at(count, depth); }
};

// Copies `kCount` strips of a transposed factor, each row after row.
template <size_t kCount>
void pack_some_strips(const Left& left, const Strips& strips, size_t first, size_t depth,
                      float* packed) {
  const FloatTag d;
  const float* from[kCount];
  float* to[kCount];
  size_t height[kCount];
  Floats sums[kCount][kStripVectors];
  const auto in_use = [&](size_t i, size_t v) {  // of vector v
    return std::min(kLanes, height[i] - std::min(height[i], v * kLanes));
  };
  for (size_t i = 0; i < kCount; ++i) {
    from[i] = left.data + strips.start(first + i);
    to[i] = packed + strips.packed_at(first + i, depth);
    height[i] = strips.height(first + i);
    for (Floats& sum : sums[i]) sum = hn::Zero(d);
  }
  for (size_t k = 0; k < depth; ++k) {
#pragma GCC unroll 4
    for (size_t i = 0; i < kCount; ++i) {
#pragma GCC unroll 8
      for (size_t v = 0; v < kStripVectors; ++v) {
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
    float* out = left.row_sums + strips.start(first + i);
    for (size_t v = 0; v < kStripVectors; ++v, out += kLanes) {
      store(hn::Add(load(out, in_use(i, v)), sums[i][v]), out, in_use(i, v));
    }
  }
}

// Copies the strips of a transposed factor one after another: read in place, every step of a tile
// would be on another page. A few at a time, so that the lines of a row are read as a whole.
void pack_strips(const Left& left, const Strips& strips, size_t depth, float* packed) {
  constexpr size_t kAtOnce = 4;
  size_t s = 0;
  for (; s + kAtOnce <= strips.count; s += kAtOnce) {
    pack_some_strips<kAtOnce>(left, strips, s, depth, packed);
  }
  for (; s < strips.count; ++s) pack_some_strips<1>(left, strips, s, depth, packed);
}

// What follows the rows before `end` of the left factor: the next block of them or, of a transposed
// one, the first block of the next call.
Ahead left_after(const Left& left, size_t end, size_t block, size_t depth, const Part& part) {
  const size_t rows = std::min(block, part.row_end - end);
  if (!left.transposed) return {left.data + end * left.stride, left.stride, rows, depth};
  if (rows > 0) return {left.data + end, left.stride, depth, rows};
  return {left.data + depth * left.stride + part.row_begin, left.stride,
          std::min(depth, left.depth_after), std::min(block, part.row_end - part.row_begin)};
}

void multiply(const Left& left, const Right& right, size_t columns, size_t depth, const Part& part,
              const Finish& finish, const Ahead& after) {
  thread_local Scratch scratch;
  HWY_ALIGN float sums[kStrip * 2 * kLanes];
  const size_t block = block_height(depth);
  const bool fetch_panels =
      right.packed && (part.column_end - part.column_begin) * depth > kSecondCache;
  const FinishTile finish_sums = finish_of(finish.kind);
  Fetches fetches;
  fetches[Fetches::after] = after;
  for (size_t begin = part.row_begin; begin < part.row_end; begin += block) {
    const Strips strips(begin, std::min(block, part.row_end - begin));
    float* packed = left.transposed ? scratch.take(strips.packed_size(depth)) : nullptr;
    if (packed) pack_strips(left, strips, depth, packed);
    fetches[Fetches::left] = left_after(left, begin + strips.rows, block, depth, part);
    for (size_t column = part.column_begin; column < part.column_end; column += panel()) {
      size_t stride = 0;
      const float* factor = open_panel(right, column, columns, depth, stride);
      const size_t width = std::min(panel(), part.column_end - column);
      if (fetch_panels && column + panel() < part.column_end) {
        fetches[Fetches::panel] = Ahead(factor + panel() * depth, 0, 1, panel() * depth);
      }
      for (size_t s = 0; s < strips.count; ++s) {
        const size_t first = strips.start(s), height = strips.height(s);
        const Tile tile = tile_of(height, left.transposed);
        fetches.begin_tile();
        fetch_finish(finish, first, height, column, width, fetches);
        if (packed) {
          tile(packed + strips.packed_at(s, depth), height, factor, stride, depth, fetches, sums);
        } else {
          tile(left.data + first * left.stride, left.stride, factor, stride, depth, fetches, sums);
        }
        finish_sums(sums, first, height, column, width, finish);
      }
    }
  }
}

// out[k * width + c] = rows[c * stride + k] for four rows and four k.
HWY_INLINE void turn_four(const float* rows, size_t stride, float* out, size_t width) {
#if HWY_TARGET == HWY_SCALAR
  for (size_t k = 0; k < 4; ++k) {
    for (size_t c = 0; c < 4; ++c) out[k * width + c] = rows[c * stride + k];
  }
#else
  const hn::FixedTag<float, 4> d;
  const auto r0 = hn::LoadU(d, rows), r1 = hn::LoadU(d, rows + stride),
             r2 = hn::LoadU(d, rows + 2 * stride), r3 = hn::LoadU(d, rows + 3 * stride);
  const auto low01 = hn::InterleaveLower(d, r0, r1), low23 = hn::InterleaveLower(d, r2, r3),
             high01 = hn::InterleaveUpper(d, r0, r1), high23 = hn::InterleaveUpper(d, r2, r3);
  hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, out);
  hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, out + width);
  hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, out + 2 * width);
  hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, out + 3 * width);
#endif
}

// Columns [0, used) of four rows k of a panel; zeros up to its end.
HWY_INLINE void turn_panel(const float* rows, size_t stride, size_t used, float* out) {
  const size_t width = panel(), whole = used / 4 * 4;
  for (size_t c = 0; c < whole; c += 4) turn_four(rows + c * stride, stride, out + c, width);
  for (size_t c = whole; c < width; c += 4) {
    float few[16] = {};
    for (size_t i = c; i < used; ++i) std::memcpy(few + 4 * (i - c), rows + i * stride, 16);
    turn_four(few, 4, out + c, width);
  }
}

void pack_transposed(const float* weight, size_t stride, size_t depth, size_t begin, size_t end,
                     float* panels) {
  const size_t width = panel(), whole = depth / 4 * 4;
  for (size_t column = begin; column < end; column += width) {
    const size_t used = std::min(width, end - column);
    const float* rows = weight + column * stride;
    float* out = panels + column * depth;
    for (size_t k = 0; k < whole; k += 4) turn_panel(rows + k, stride, used, out + k * width);
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

void multiply(const Left& left, const Right& right, size_t columns, size_t depth, const Part& part,
              const Finish& finish, const Ahead& after) {
  HWY_DYNAMIC_DISPATCH(multiply)(left, right, columns, depth, part, finish, after);
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
