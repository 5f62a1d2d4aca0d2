// The machine's peak of fused multiply-adds in float32, measured: what every speed is compared
// with.
#pragma once

namespace eqm::bench {

// GFLOP/s over `threads` threads, each with independent FMA chains that fit its registers.
double fma_peak(int threads);

}  // namespace eqm::bench
