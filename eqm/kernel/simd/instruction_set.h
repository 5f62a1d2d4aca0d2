// Which instruction set the kernels run on. It is chosen once per process: the best that the
// machine has, or what EQM_KERNELS names (kernel/dispatch.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eqm::simd {

// The instruction sets that were compiled and that this machine can run, best first, as Highway's
// bits.
std::vector<int64_t> runnable_targets();

// "AVX-512", "AVX2", "SSE4", or what Highway calls it.
std::string target_name(int64_t target);

// Makes all kernels run on this one; 0 gives the choice back. For tests and EQM_KERNELS: no kernel
// may be running.
void force_target(int64_t target);

}  // namespace eqm::simd
