// A tensor as PyTorch keeps it: a window on a storage whose elements need not lie in order. The
// view owns nothing; the bytes may start at any address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "eqm/io/tensor_view.h"

namespace eqm {

struct StridedView {
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape = {};        // empty for a scalar
  std::vector<int64_t> strides = {};      // in elements, none negative, as many as dimensions
  std::span<const std::byte> bytes = {};  // from the first element to the end of the farthest
};

// Whether the elements lie row-major without gaps: then `bytes` are those of a TensorView.
bool is_contiguous(const StridedView& view);

// A TensorView's, with the strides of row-major order.
StridedView strided(const TensorView& view);

}  // namespace eqm
