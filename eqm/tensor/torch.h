// The door to LibTorch. Everything that differs between its versions (1.13 up to 2.x) lives here
// and nowhere else. Light: types and operators, not the whole of torch/torch.h.
#pragma once

#include <cstring>

#include <ATen/autocast_mode.h>
#include <c10/core/Allocator.h>
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

// Whether autocast is on for CPU tensors of this thread.
inline bool autocast_on_cpu() {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  return at::autocast::is_autocast_enabled(torch::kCPU);
#else
  return at::autocast::is_cpu_enabled();
#endif
}

// An allocator of host memory. LibTorch 2 dropped the const of `allocate` and wants `copy_data`:
// what overrides in one version is a mere overload in another, hence no `override`.
class HostAllocator : public c10::Allocator {
 public:
  virtual c10::DataPtr take(size_t bytes) const = 0;

  // NOLINTBEGIN(modernize-use-override)
  c10::DataPtr allocate(size_t bytes) const { return take(bytes); }
  c10::DataPtr allocate(size_t bytes) { return take(bytes); }
  void copy_data(void* to, const void* from, size_t bytes) const { std::memcpy(to, from, bytes); }
  // NOLINTEND(modernize-use-override)
};

}  // namespace eqm
