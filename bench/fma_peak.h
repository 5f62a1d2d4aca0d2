// The machine's peak of fused multiply-adds in float32, measured: what every speed is compared
// with.
#pragma once

namespace eqm::bench {

// Independent chains of multiply-adds that fit the registers, on every thread of LibTorch's, with
// the instruction set that the kernels use. Answers how many operations that were; takes some ten
// milliseconds.
double run_fma_chains();

}  // namespace eqm::bench
