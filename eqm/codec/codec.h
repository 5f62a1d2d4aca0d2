// Between pictures and the states a model sees: pixels by scaling alone, latents by an autoencoder
// and scaling.
#pragma once

#include <memory>
#include <utility>

#include "eqm/codec/vae.h"
#include "eqm/landscape/scaling.h"

namespace eqm {

class Codec {
 public:
  // A scaling is a codec of its own: states are pictures, or stay what they are.
  Codec(Scaling scaling) : scaling_(std::move(scaling)) {}  // NOLINT(*-explicit-*)
  Codec(Scaling scaling, std::shared_ptr<const Vae> autoencoder)
      : scaling_(std::move(scaling)), autoencoder_(std::move(autoencoder)) {}

  // Whether states are latents that are made of pictures and become pictures.
  bool has_autoencoder() const { return autoencoder_ != nullptr; }

  // Pixels [n, C, H, W] from 0 to 255 both ways, or whatever values the scaling is of. An
  // autoencoder takes the mean of its posterior.
  Tensor to_states(const Tensor& values) const;
  Tensor to_values(const Tensor& states) const;

  // The posterior of pixels; only with an autoencoder.
  Posterior posterior_of(const Tensor& pixels) const;

  // Of the picture that a state [C, H, W] becomes.
  Shape picture_shape(const Shape& state) const;

  // How many states of a shape to turn into pictures at once, for the sake of memory.
  int64_t rows_together(const Shape& state) const;

  const Scaling& scaling() const { return scaling_; }
  const std::shared_ptr<const Vae>& autoencoder() const { return autoencoder_; }

 private:
  Scaling scaling_;
  std::shared_ptr<const Vae> autoencoder_;
};

}  // namespace eqm
