// The most memory this process has had so far, in bytes: grows when something reserves and fills
// too much, even if it is freed again.
#pragma once

#include <cstdint>
#include <functional>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace eqm::test {

inline uint64_t peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

// Sanitizers keep what is freed, and shadows of everything.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsWatched = true;
#else
inline constexpr bool kMemoryIsWatched = false;
#endif

// What needs less than the peak so far is not seen: begin with small things.
inline void expect_memory_below(uint64_t bytes, const std::function<void()>& action) {
  const uint64_t before = peak_memory();
  action();
  EXPECT_LT(peak_memory() - before, bytes);
}

}  // namespace eqm::test
