// The kernel distance: the squared maximum mean discrepancy of two sets of features under the
// kernel (x·y/d + 1)³, which with Inception features is the KID. Unlike the Fréchet distance it has
// no bias: few rows make it noisy, not large.
#pragma once

#include <cstdint>

#include "eqm/tensor/torch.h"

namespace eqm {

// Unbiased, over all rows, in float64; a [n, d], b [m, d], some rows at a time. Kind usage for
// fewer than two rows, kind input for different widths.
double kernel_distance(const Tensor& a, const Tensor& b);

struct Spread {
  double mean = 0, deviation = 0;
};

// Over `subsets` random subsets of `size` rows of each, as the KID is usually reported; the same
// for the same seed. Sets smaller than `size` are taken whole.
Spread kernel_distance_of_subsets(const Tensor& a, const Tensor& b, int64_t subsets, int64_t size,
                                  uint64_t seed);

}  // namespace eqm
