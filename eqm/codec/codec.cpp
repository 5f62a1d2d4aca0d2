#include "eqm/codec/codec.h"

#include <algorithm>

namespace eqm {

Tensor Codec::to_states(const Tensor& values) const {
  if (!autoencoder_) return scaling_.to_states(values);
  return scaling_.to_states(posterior_of(values).mean);
}

Posterior Codec::posterior_of(const Tensor& pixels) const {
  // Bytes stay bytes until their turn comes.
  return autoencoder_->encode(pixels.is_floating_point() ? Scaling::pixels().to_states(pixels)
                                                         : pixels);
}

Tensor Codec::to_values(const Tensor& states) const {
  const Tensor values = scaling_.to_values(states);
  return autoencoder_ ? Scaling::pixels().to_values(autoencoder_->decode(values)) : values;
}

int64_t Codec::rows_together(const Shape& state) const {
  constexpr int64_t kMost = 64;  // decoded numbers are many times larger than what is kept of them
  if (!autoencoder_ || state.size() != 3) return kMost;
  const Shape picture = picture_shape(state);
  return std::min(kMost, autoencoder_->rows_for(picture[1], picture[2]));
}

Shape Codec::picture_shape(const Shape& state) const {
  if (!autoencoder_ || state.size() != 3) return state;
  const VaeConfig& config = autoencoder_->config();
  return {config.image_channels, state[1] * config.factor(), state[2] * config.factor()};
}

}  // namespace eqm
