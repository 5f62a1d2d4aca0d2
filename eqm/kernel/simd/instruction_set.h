// Which instruction set the kernels run on. One for the process: the best that the
// machine has, or what kernel::dispatch_process() (kernel/dispatch.h) was given.
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

// Makes all kernels run on this one; 0 gives the choice back. For dispatch_process() and tests: no
// kernel may be running.
void force_target(int64_t target);

}  // namespace eqm::simd
