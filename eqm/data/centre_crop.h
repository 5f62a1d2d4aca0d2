// The centre crop of ADM (Dhariwal and Nichol 2021, guided-diffusion), which SiT and EqM train
// with. Bit-equal to those scripts with Pillow. Pure function, safe from any thread.
#pragma once

#include <cstdint>

#include "eqm/data/source.h"

namespace eqm {

// Bytes [C, H, W] to [C, size, size] with the same label: halved by the box filter while the
// shorter side is at least 2 * size, then brought to `size` on the shorter side by the bicubic
// filter (up or down), then cut from the middle. Only what the cut keeps is computed, so a long
// thin picture costs no more than a square one. Kind usage when `size` is not positive or size^2
// passes kMaxImagePixels.
Example centre_crop(const Example& pixels, int64_t size);

}  // namespace eqm
