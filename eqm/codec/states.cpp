#include "eqm/codec/states.h"

#include <vector>

#include "eqm/codec/posterior.h"
#include "eqm/tensor/bridge.h"
#include "eqm/tensor/noise_tensor.h"

namespace eqm {
namespace {

Tensor values_of(const Batch& batch, const torch::TensorOptions& type) {
  return to_tensor(batch.view(), batch.bytes).to(type.device());
}

}  // namespace

Tensor states_of(const Batch& batch, const Codec& codec, const torch::TensorOptions& type) {
  const Tensor values = values_of(batch, type);
  if (batch.posterior) return codec.scaling().to_states(Posterior::from(values).mean).to(type);
  if (batch.dtype == Dtype::u8) return codec.to_states(values).to(type);
  return codec.scaling().to_states(values).to(type);
}

Tensor drawn_states(const Batch& batch, const Codec& codec, NoiseKey key,
                    const torch::TensorOptions& type) {
  const bool encodes = codec.has_autoencoder() && batch.dtype == Dtype::u8;
  if (!batch.posterior && !encodes) return states_of(batch, codec, type);
  const Tensor values = values_of(batch, type);
  const Posterior posterior =
      batch.posterior ? Posterior::from(values) : codec.posterior_of(values);
  const Tensor& mean = posterior.mean;
  const Tensor noise = normal_rows(key, mean.size(0), mean.sizes().slice(1).vec(), mean.options());
  return codec.scaling().to_states(posterior.sample(noise)).to(type);
}

Tensor bytes_of(const Tensor& states, const Codec& codec) {
  std::vector<Tensor> parts;
  const int64_t together = codec.rows_together(states.sizes().slice(1).vec());
  for (const Tensor& some : states.detach().split(together)) {
    Tensor values = codec.to_values(some.to(torch::kFloat32)).cpu();
    torch::nan_to_num_(values, 0, 255, 0).round_().clamp_(0, 255);
    parts.push_back(values.to(torch::kUInt8));
  }
  return parts.size() == 1 ? parts.front() : torch::cat(parts);
}

}  // namespace eqm
