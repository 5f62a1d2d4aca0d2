// What an encoder says of a picture: a Gaussian for every latent number.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm {

struct Posterior {
  Tensor mean;          // [n, C, h, w]
  Tensor log_variance;  // of the same shape, from -30 to 20

  // From the two side by side: [n, 2 C, h, w], the log-variance second.
  static Posterior from(const Tensor& moments);

  Tensor deviation() const { return (0.5 * log_variance).exp(); }
  Tensor variance() const { return log_variance.exp(); }
  // With standard normal noise of the shape of the mean.
  Tensor sample(const Tensor& noise) const { return mean + deviation() * noise; }
  // The Kullback-Leibler divergence from standard normal numbers, of every row: [n]
  Tensor divergence() const;
};

}  // namespace eqm
