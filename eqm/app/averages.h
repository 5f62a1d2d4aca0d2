// What a table says of many numbers.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace eqm::app {

// 0 of nothing.
inline double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Of one number at least.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : std::midpoint(values[half - 1], values[half]);
}

}  // namespace eqm::app
