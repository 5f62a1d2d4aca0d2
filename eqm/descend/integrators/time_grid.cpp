#include "eqm/descend/integrators/time_grid.h"

#include <algorithm>
#include <cmath>

namespace eqm {

const Names<TimeGrid>& time_grid_names() {
  static const Names<TimeGrid> names = {{"uniform", TimeGrid::uniform}, {"edm", TimeGrid::edm}};
  return names;
}

std::vector<double> edm_times(int64_t steps) {
  constexpr double kMostSigma = 80, kLeastSigma = 0.002, kRho = 7;
  const double first = std::pow(kMostSigma, 1 / kRho), last = std::pow(kLeastSigma, 1 / kRho);
  const auto spaces = static_cast<double>(std::max<int64_t>(1, steps - 1));
  std::vector<double> times;
  for (int64_t i = 0; i < steps; ++i) {
    const double part = static_cast<double>(i) / spaces;
    const double sigma = std::pow(first + part * (last - first), kRho);
    times.push_back(1 / (1 + sigma));
  }
  times.push_back(1);
  return times;
}

}  // namespace eqm
