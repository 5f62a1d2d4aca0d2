// Products of float32 matrices by register tiles, one thread's share at a time; the caller divides
// the work. What follows a product (bias, GELU, gate) is done on each tile while it is in the first
// cache.
#pragma once

#include <cstddef>

#include "eqm/kernel/simd/prefetch.h"

namespace eqm::simd {

// The left factor, [rows, depth]; transposed: its element (r, k) is data[k * stride + r].
struct Left {
  const float* data;
  size_t stride;
  bool transposed = false;
  float* row_sums = nullptr;  // [rows]; transposed: the sum over the depth is added, if not null
};

// What becomes of the product y = left * right + bias.
struct Epilogue {
  enum class Kind {
    store,       // out = y
    add,         // out += y
    gelu,        // out = gelu(y) by tanh
    gelu_slope,  // the same, and gelu'(y) is kept
    scale,       // out = factor * y
    gate,        // out = residual + gate * y
    image        // out = y, each row a patch of an image
  };
  Kind kind = Kind::store;
  const float* bias = nullptr;  // [columns]
  float* out = nullptr;         // [rows, columns], rows `stride` apart, like the next three
  float* kept = nullptr;        // for a backward pass; gelu, gate: y or null; gelu_slope: gelu'(y)
  const float* factor = nullptr;    // scale
  const float* residual = nullptr;  // gate
  size_t stride = 0;
  const float* gate = nullptr;  // row r takes the gates at (r / rows_per_gate) * gate_stride
  size_t gate_stride = 0, rows_per_gate = 1;
  // image: out is [B, channels, grid * patch, grid * patch]; rows are (image, patch row, patch
  // column), columns (row in the patch, column in the patch, channel).
  size_t patch = 1, channels = 1, grid = 1;
};

struct Part {
  size_t row_begin, row_end, column_begin, column_end;
};

// What the caller will read next of the two factors, to be fetched meanwhile.
struct NextFactors {
  Prefetch left, right;
};

// One part of the product with a packed right factor [depth, columns]; column_begin is a multiple
// of tile_columns().
void multiply(const Left& left, const float* packed_b, size_t depth, const Part& part,
              const Epilogue& epilogue, const NextFactors& next = {});

// Columns of a tile: a packed factor holds this many side by side.
size_t tile_columns();
size_t tile_rows();                 // rows of a tile
size_t block_height(size_t depth);  // rows whose left factor stays in the second cache

// Floats that `columns` x `depth` take when packed.
size_t packed_size(size_t columns, size_t depth);

// Packs columns [begin, end) of the right factor transpose(weight), weight [columns, depth] with
// rows `stride` apart; the last tile is filled up with zeros. `begin` is a multiple of
// tile_columns().
void pack_transposed(const float* weight, size_t stride, size_t depth, size_t begin, size_t end,
                     float* packed_b);

// Packs a row-major right factor [depth, columns].
void pack(const float* factor, size_t stride, size_t depth, size_t columns, float* packed_b);

}  // namespace eqm::simd
