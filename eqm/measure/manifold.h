// Two sets of features compared as manifolds: every point has a ball that reaches to its k-th
// nearest neighbour in its own set. Precision and recall separate fidelity from variety; density
// and coverage do so with less regard for outliers.
#pragma once

#include <cstdint>

#include "eqm/tensor/torch.h"

namespace eqm {

struct ManifoldScores {
  double precision = 0;  // share of samples in the ball of any real point
  double recall = 0;     // share of real points in the ball of any sample
  double density = 0;    // how many balls of real points a sample lies in, over k
  double coverage = 0;   // share of real points with a sample in their ball
};

// real [n, d], samples [m, d], in float64, some rows at a time. Precision and recall count points
// on the edge of a ball, as ADM's evaluator does; density and coverage do not, as prdc. Kind usage
// when a set has no more than k rows, kind input for different widths.
ManifoldScores manifold_scores(const Tensor& real, const Tensor& samples, int64_t k = 3);

// The squared distance of each row to its k-th nearest other row: [n]
Tensor squared_radii(const Tensor& rows, int64_t k);

}  // namespace eqm
