// The most memory this process has had so far, in bytes: grows when something reserves and fills
// too much, even if it is freed again.
#pragma once

#include <cstdint>

#include <sys/resource.h>

namespace eqm::test {

inline uint64_t peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace eqm::test
