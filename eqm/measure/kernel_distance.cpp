#include "eqm/measure/kernel_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr int64_t kKernelRows = 1024;  // rows of the kernel's matrix in memory

// The sum of the kernel over all pairs of rows.
double sum_of_kernel(const Tensor& a, const Tensor& b) {
  double sum = 0;
  const auto width = static_cast<double>(a.size(1));
  for (int64_t first = 0; first < a.size(0); first += kKernelRows) {
    const Tensor some = a.narrow(0, first, std::min(kKernelRows, a.size(0) - first));
    sum += (torch::matmul(some, b.t()) / width + 1).pow(3).sum().item<double>();
  }
  return sum;
}

// The same over pairs of different rows of one set, as a mean.
double mean_of_others(const Tensor& a) {
  const auto width = static_cast<double>(a.size(1)), count = static_cast<double>(a.size(0));
  const double own = (a.square().sum(1) / width + 1).pow(3).sum().item<double>();
  return (sum_of_kernel(a, a) - own) / (count * (count - 1));
}

Tensor chosen(const Tensor& rows, int64_t size, std::mt19937_64& random) {
  if (size >= rows.size(0)) return rows;
  std::vector<int64_t> places(static_cast<size_t>(rows.size(0)));
  std::iota(places.begin(), places.end(), 0);
  // The first steps of a Fisher-Yates shuffle; a remainder is the same everywhere, and its bias is
  // far below anything that could be seen.
  for (int64_t i = 0; i < size; ++i) {
    const auto other = i + static_cast<int64_t>(random() % static_cast<uint64_t>(rows.size(0) - i));
    std::swap(places[static_cast<size_t>(i)], places[static_cast<size_t>(other)]);
  }
  places.resize(static_cast<size_t>(size));
  return rows.index_select(0, torch::tensor(places, torch::kInt64));
}

}  // namespace

double kernel_distance(const Tensor& a, const Tensor& b) {
  const torch::NoGradGuard guard;
  if (a.size(1) != b.size(1)) {
    throw Error(ErrorKind::input,
                fmt::format("features of {} numbers beside features of {}", a.size(1), b.size(1)),
                "take both from the same network");
  }
  if (a.size(0) < 2 || b.size(0) < 2) {
    throw Error(ErrorKind::usage, "a kernel distance needs two examples of each set or more",
                "give more examples");
  }
  const Tensor x = a.to(torch::kFloat64), y = b.to(torch::kFloat64);
  const double pairs = static_cast<double>(x.size(0)) * static_cast<double>(y.size(0));
  return mean_of_others(x) + mean_of_others(y) - 2 * sum_of_kernel(x, y) / pairs;
}

Spread kernel_distance_of_subsets(const Tensor& a, const Tensor& b, int64_t subsets, int64_t size,
                                  uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values;
  for (int64_t i = 0; i < subsets; ++i) {
    const Tensor x = chosen(a, size, random), y = chosen(b, size, random);
    values.push_back(kernel_distance(x, y));
  }
  const auto count = static_cast<double>(subsets);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;  // about the mean: no large sums cancel
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {.mean = mean, .deviation = std::sqrt(squares / count)};
}

}  // namespace eqm
