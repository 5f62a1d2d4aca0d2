// A few numbers spread over a range, for looking into a large set here and there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace eqm {

// At most `count` of [0, size), increasing, the first being 0; all of them when there are no more.
inline std::vector<int64_t> evenly_spaced(int64_t size, int64_t count) {
  std::vector<int64_t> numbers;
  const int64_t taken = std::min(size, count);
  for (int64_t i = 0; i < taken; ++i) {
    // i * size / taken, without a product that could pass 2^63.
    numbers.push_back(size / taken * i + size % taken * i / taken);
  }
  return numbers;
}

}  // namespace eqm
