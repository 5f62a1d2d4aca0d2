#include "eqm/codec/codec.h"

namespace eqm {

Tensor Codec::to_states(const Tensor& values) const {
  if (!autoencoder_) return scaling_.to_states(values);
  return scaling_.to_states(posterior_of(values).mean);
}

Posterior Codec::posterior_of(const Tensor& pixels) const {
  return autoencoder_->encode(Scaling::pixels().to_states(pixels));
}

Tensor Codec::to_values(const Tensor& states) const {
  const Tensor values = scaling_.to_values(states);
  return autoencoder_ ? Scaling::pixels().to_values(autoencoder_->decode(values)) : values;
}

Shape Codec::picture_shape(const Shape& state) const {
  if (!autoencoder_ || state.size() != 3) return state;
  const VaeConfig& config = autoencoder_->config();
  return {config.image_channels, state[1] * config.factor(), state[2] * config.factor()};
}

}  // namespace eqm
