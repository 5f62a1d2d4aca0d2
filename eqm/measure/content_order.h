// A random order of examples that depends on what they are and not on where they stand: a set gives
// the same parts, subsets and resamplings, hence the same scores, however it is sorted.
#pragma once

#include <cstdint>

#include "eqm/tensor/torch.h"

namespace eqm {

// A number for the content of each row: equal rows have equal ones. rows [n, ...] of any type on
// the CPU; [n] int64.
Tensor content_keys(const Tensor& rows);

// The places of the rows, shuffled: [n] int64. Rows with equal keys are shuffled like all others.
// Another seed gives an independent order.
Tensor content_order(const Tensor& keys, uint64_t seed);

}  // namespace eqm
