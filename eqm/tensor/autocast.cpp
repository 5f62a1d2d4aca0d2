#include "eqm/tensor/autocast.h"

#include <exception>

namespace eqm {

Autocast::Autocast(bool wanted, torch::Device device) : on_(wanted), device_(device.type()) {
  if (!on_) return;
  set_autocast(device_, true);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!on_) return;
  // Casts of weights are remembered until the outermost scope ends.
  if (at::autocast::decrement_nesting() > 0) return;
  at::autocast::clear_cache();
  set_autocast(device_, false);
}

bool computes_bfloat16(torch::Device device) {
  constexpr int64_t kSize = 64;  // LibTorch multiplies smaller matrices itself
  try {
    const auto type = torch::TensorOptions().device(device).dtype(torch::kBFloat16);
    torch::matmul(torch::ones({kSize, kSize}, type), torch::ones({kSize, kSize}, type));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace eqm
