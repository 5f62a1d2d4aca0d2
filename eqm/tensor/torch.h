// The door to LibTorch. Everything that differs between its versions (1.13 up to 2.x) lives here
// and nowhere else. Light: types and operators, not the whole of torch/torch.h.
#pragma once

#include <torch/types.h>
#include <torch/version.h>

#if TORCH_VERSION_MAJOR < 1 || (TORCH_VERSION_MAJOR == 1 && TORCH_VERSION_MINOR < 13)
#error "eqm needs LibTorch 1.13 or newer"
#endif

namespace eqm {

using torch::Tensor;
using Shape = std::vector<int64_t>;

}  // namespace eqm
