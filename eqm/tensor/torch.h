// The door to LibTorch. Everything that differs between its versions (1.13 up to 2.x) lives here
// and nowhere else. Light: types and operators, not the whole of torch/torch.h.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>

#if TORCH_VERSION_MAJOR < 1 || (TORCH_VERSION_MAJOR == 1 && TORCH_VERSION_MINOR < 13)
#error "eqm needs LibTorch 1.13 or newer"
#endif

namespace eqm {

using torch::Tensor;
using Shape = std::vector<int64_t>;

// Switches bfloat16 autocast for this thread. LibTorch 2.4 made one function of two.
inline void set_autocast(torch::DeviceType device, bool on) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_dtype(device, torch::kBFloat16);
  at::autocast::set_autocast_enabled(device, on);
#else
  if (device == torch::kCUDA) {
    at::autocast::set_autocast_gpu_dtype(torch::kBFloat16);
    at::autocast::set_enabled(on);
  } else {
    at::autocast::set_autocast_cpu_dtype(torch::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  }
#endif
}

}  // namespace eqm
