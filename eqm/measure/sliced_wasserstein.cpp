#include "eqm/measure/sliced_wasserstein.h"

#include <algorithm>
#include <numbers>

#include "eqm/base/error.h"
#include "eqm/tensor/noise_tensor.h"

namespace eqm {
namespace {

// [d, count], unit columns
Tensor directions_of(int64_t dimension, int64_t count) {
  if (dimension == 2) {
    const Tensor angles =
        torch::arange(count, torch::kFloat64) * (std::numbers::pi / static_cast<double>(count));
    return torch::stack({angles.cos(), angles.sin()});
  }
  const Tensor drawn = normal_rows({.seed = 0x51}, count, {dimension}, torch::kFloat64);
  return (drawn / drawn.norm(2, 1, true)).t().contiguous();
}

// Rows of sorted projections [count, n] at `quantiles` evenly spaced probabilities. A set's
// quantile function is a staircase: nothing lies between its points.
Tensor quantiles_of(const Tensor& sorted, int64_t quantiles) {
  const int64_t n = sorted.size(1);
  if (n == quantiles) return sorted;
  const Tensor middles = torch::arange(quantiles, torch::kFloat64) + 0.5;
  const Tensor index = (middles * (static_cast<double>(n) / static_cast<double>(quantiles)))
                           .floor()
                           .to(torch::kInt64)
                           .clamp_max(n - 1);
  return sorted.index_select(1, index);
}

}  // namespace

double sliced_wasserstein(const Tensor& a, const Tensor& b, int64_t directions) {
  if (a.dim() != 2 || b.dim() != 2 || a.size(1) != b.size(1) || a.size(0) < 1 || b.size(0) < 1) {
    throw Error(ErrorKind::usage, "two non-empty sets of points of one dimension are needed",
                "give each as [n, dimension] with n of at least 1");
  }
  if (directions < 1)
    throw Error(ErrorKind::usage, "at least one direction is needed",
                "a few hundred give a steady distance");
  const Tensor axes = directions_of(a.size(1), directions);
  const auto projected = [&](const Tensor& points) {
    return std::get<0>(points.to(torch::kFloat64).matmul(axes).t().contiguous().sort(1));
  };
  const int64_t quantiles = std::max(a.size(0), b.size(0));
  const Tensor difference =
      quantiles_of(projected(a), quantiles) - quantiles_of(projected(b), quantiles);
  return difference.abs().mean().item<double>();
}

}  // namespace eqm
