#include "eqm/backbone/embeddings.h"

#include <cmath>

namespace eqm {
namespace {

constexpr double kLongestPeriod = 10000.0;

// [n] -> [n, width]: sines, then cosines.
Tensor sin_cos(const Tensor& positions, int64_t width) {
  const int64_t half = width / 2;
  const Tensor steps = torch::arange(half, torch::kFloat64) / static_cast<double>(half);
  const Tensor angles = positions.unsqueeze(1) * torch::pow(kLongestPeriod, -steps);
  return torch::cat({angles.sin(), angles.cos()}, 1);
}

}  // namespace

Tensor position_table(int64_t width, int64_t grid) {
  const Tensor line = torch::arange(grid, torch::kFloat64);
  const Tensor columns = line.repeat({grid});
  const Tensor rows = line.repeat_interleave(grid);
  return torch::cat({sin_cos(columns, width / 2), sin_cos(rows, width / 2)}, 1);
}

Tensor time_features(const Tensor& t, int64_t width) {
  const int64_t half = width / 2;
  const Tensor steps = torch::arange(half, t.options());
  const Tensor frequencies =
      torch::exp(steps * (-std::log(kLongestPeriod) / static_cast<double>(half)));
  const Tensor angles = t.unsqueeze(1) * frequencies;
  const Tensor features = torch::cat({angles.cos(), angles.sin()}, 1);
  if (width % 2 == 0) return features;
  return torch::cat({features, torch::zeros({t.size(0), 1}, t.options())}, 1);
}

}  // namespace eqm
