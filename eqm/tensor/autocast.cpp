#include "eqm/tensor/autocast.h"

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

}  // namespace eqm
