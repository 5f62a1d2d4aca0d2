// Examples side by side, as a training step takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "eqm/data/rows.h"
#include "eqm/data/source.h"
#include "eqm/io/tensor_view.h"

namespace eqm {

struct Batch {
  int64_t number = 0;
  RowRange rows;      // of the stream that a loader reads; of read_batch() the indices
  int64_t epoch = 0;  // that of the first example
  Dtype dtype = Dtype::u8;
  std::vector<int64_t> shape;  // [B, ...]
  bool posterior = false;      // each example is a mean and a log-variance, on the first axis
  // Shared with nobody but the holders of this batch; goes back to its loader for reuse when the
  // last of them lets go.
  std::shared_ptr<std::vector<std::byte>> bytes;
  std::vector<int64_t> labels;   // [B], kNoLabel where there is none
  std::vector<int64_t> indices;  // [B], into the source

  TensorView view() const { return {.dtype = dtype, .shape = shape, .bytes = *bytes}; }
};

// All examples in order, at most so many at a time, all of one layout; `visit` answers whether to
// go on. Kind input, naming the first of another layout.
void for_each_batch(const Source& source, int64_t together,
                    const std::function<bool(const Batch&)>& visit);

// Examples [first, first + count) of a source, side by side; of posteriors the first.
Batch read_batch(const Source& source, int64_t first, int64_t count);

}  // namespace eqm
