// Matrix products in bfloat16 while an object of this class lives, for devices that are fast at it.
// Weights, losses and sums stay as they are. Per thread, like LibTorch's own switch.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm {

class Autocast {
 public:
  // Does nothing unless `wanted`.
  Autocast(bool wanted, torch::Device device);
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast();

 private:
  bool on_;
  torch::DeviceType device_;
};

// Whether matrix products in bfloat16 work on a device, found out by one. LibTorch asks the
// processor and not oneDNN, which refuses where $ONEDNN_MAX_CPU_ISA forbids it the instructions.
bool computes_bfloat16(torch::Device device);

// Full precision while an object of this class lives, also inside an Autocast: for sums of squares
// and other differences that eight bits cannot hold. Operands must be cast by hand.
class FullPrecision {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

}  // namespace eqm
