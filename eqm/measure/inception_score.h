// How sure a classifier is of single pictures, and how many kinds it sees in all of them.
#pragma once

#include <cstdint>

#include "eqm/tensor/torch.h"

namespace eqm {

// exp of the mean KL divergence between each row's probabilities and those of its part, averaged
// over parts of `part` consecutive rows (the last may be short), in float64: as ADM's evaluator.
// Each part should be like the whole, so give rows in a random order (content_order.h).
// probabilities [n, classes]. A probability of exactly 0 counts nothing. Kind usage for no rows or
// an empty part.
double inception_score(const Tensor& probabilities, int64_t part = 5000);

}  // namespace eqm
