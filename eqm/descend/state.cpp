#include "eqm/descend/state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace eqm {

double dot(const State& x, const State& y) {
  return std::inner_product(std::begin(x), std::end(x), std::begin(y), 0.0);
}

double norm(const State& x) {
  return std::sqrt(dot(x, x));
}

bool is_finite(const State& x) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return std::all_of(std::begin(x), std::end(x),
                     [](double value) { return std::abs(value) <= kMost; });
}

}  // namespace eqm
