// SiT as one would write it with LibTorch's own modules: what our backbone is compared with. It
// borrows the weights of a Sit, so that both compute the same.
#pragma once

#include "eqm/backbone/sit.h"

namespace eqm::bench {

// x [B, C, H, W], labels [B] -> [B, C, H, W]
Tensor plain_forward(const Sit& sit, const Tensor& x, const Tensor& labels);

}  // namespace eqm::bench
