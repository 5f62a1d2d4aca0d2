// Small helpers for batches whose first axis counts samples.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm {

// A [B] tensor shaped [B, 1, 1, ...] so that it multiplies rows of `like`.
inline Tensor per_row(const Tensor& values, const Tensor& like) {
  Shape shape(static_cast<size_t>(like.dim()), 1);
  shape[0] = values.size(0);
  return values.reshape(shape);
}

// The Euclidean norm of each sample over all its elements, [B].
inline Tensor row_norms(const Tensor& rows) {
  return rows.flatten(1).norm(2, 1);
}

}  // namespace eqm
