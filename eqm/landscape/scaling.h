// The map between the values of a data set (pixels from 0 to 255, latents, 2-D points) and
// the states a model sees, where noise has standard deviation 1: state = (value - centre) / unit.
// It travels with the model, so that samples come out in the units the data had.
#pragma once

#include <vector>

#include "eqm/tensor/torch.h"

namespace eqm {

struct Scaling {
  std::vector<double> centre = {0};  // one number, or one per element of a sample's first axis
  double unit = 1;                   // values per unit of state

  // Bytes to [-1, 1].
  static Scaling pixels() { return {.centre = {127.5}, .unit = 127.5}; }

  // Latents of Stable Diffusion's autoencoder, which models see multiplied by 0.18215.
  static Scaling latents() { return {.centre = {0}, .unit = 1 / 0.18215}; }

  // [B, C, ...] both ways; the arithmetic is done in the type of the tensor, bytes in float32.
  Tensor to_states(const Tensor& values) const;
  Tensor to_values(const Tensor& states) const;

  bool operator==(const Scaling&) const = default;
};

}  // namespace eqm
