// Sizes as LibTorch counts them (int64_t) and as kernels do (size_t).
#pragma once

#include <cstddef>
#include <cstdint>

namespace eqm::kernel {

inline size_t as_size(int64_t value) {
  return static_cast<size_t>(value);
}

inline int64_t as_count(size_t value) {
  return static_cast<int64_t>(value);
}

inline int64_t ceiling(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

}  // namespace eqm::kernel
