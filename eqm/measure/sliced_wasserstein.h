// The sliced 1-Wasserstein distance between two sets of points: the mean, over directions, of how
// far their one-dimensional projections lie apart. 0 for equal sets; in the points' units. (The
// 2-Wasserstein distance would rank a sampler by how evenly chance filled far-apart clusters.)
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm {

// a [n, d], b [m, d]; sets of different size are compared by quantiles. In 2-D the directions
// are evenly spaced, elsewhere drawn from a fixed stream: the result is a pure function of the
// sets.
double sliced_wasserstein(const Tensor& a, const Tensor& b, int64_t directions = 64);

}  // namespace eqm
