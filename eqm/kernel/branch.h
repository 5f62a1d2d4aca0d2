// A residual branch: what enters it, and what goes past it.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

struct Branch {
  Tensor into, past;
};

}  // namespace eqm::kernel
