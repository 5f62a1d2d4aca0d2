#include "eqm/codec/states.h"

#include "eqm/tensor/bridge.h"

namespace eqm {

Tensor states_of(const Batch& batch, const Scaling& scaling, const torch::TensorOptions& type) {
  return scaling.to_states(to_tensor(batch.view(), batch.bytes).to(type.device())).to(type);
}

Tensor bytes_of(const Tensor& states, const Scaling& scaling) {
  const Tensor values = scaling.to_values(states.detach().to(torch::kFloat32).cpu());
  return torch::nan_to_num(values, 0, 255, 0).round().clamp(0, 255).to(torch::kUInt8);
}

}  // namespace eqm
