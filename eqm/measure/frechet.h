// Two sets of features compared as two normal distributions: the Fréchet distance, which with
// Inception features is the FID.
#pragma once

#include <cstdint>

#include "eqm/tensor/torch.h"

namespace eqm {

// Mean and covariance of rows that come batch by batch; in float64, in the memory of one matrix.
class Moments {
 public:
  Moments() = default;
  // Known beforehand, as from a file of statistics.
  Moments(int64_t count, Tensor mean, const Tensor& covariance);

  // rows [n, d]. Kind input when their width differs from the rows before, kind numeric when one is
  // not finite.
  void add(const Tensor& rows);

  int64_t count() const { return count_; }
  const Tensor& mean() const { return mean_; }  // [d]
  // [d, d] with divisor n - 1. Kind usage for fewer than two rows.
  Tensor covariance() const;

 private:
  int64_t count_ = 0;
  Tensor mean_;
  Tensor scatter_;  // the sum of (row - mean)(row - mean)ᵀ
};

// A set that others are compared with: what is costly about its covariance is done once.
class FrechetTarget {
 public:
  explicit FrechetTarget(Moments moments);

  double distance(const Moments& other) const;
  const Moments& moments() const { return moments_; }

 private:
  Moments moments_;
  Tensor root_;  // [d, d], of the covariance
};

// |μ₁ - μ₂|² + Tr Σ₁ + Tr Σ₂ - 2 Tr (Σ₁^½ Σ₂ Σ₁^½)^½, exact for singular covariances too. Fewer
// rows than dimensions make it large whatever the sets: compare equal counts only.
double frechet_distance(const Moments& a, const Moments& b);

}  // namespace eqm
