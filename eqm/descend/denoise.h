// Denoising: the descent starts from an image that is noise in part. The model is not given the
// noise level; the landscape leads from wherever the image is.
#pragma once

#include "eqm/descend/sampling.h"

namespace eqm {

// γ x + (1-γ) ε with the noise of sample number `sample` of a seed; γ = 1 leaves x as it is.
State noised(const State& x, double gamma, uint64_t seed, int64_t sample);

// Peak signal-to-noise ratio in dB: 10 log10(peak² / mean squared difference); infinite for equals.
double psnr(const State& x, const State& clean, double peak);

}  // namespace eqm
