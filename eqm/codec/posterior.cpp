#include "eqm/codec/posterior.h"

namespace eqm {

Posterior Posterior::from(const Tensor& moments) {
  constexpr double kLeast = -30, kMost = 20;  // as the encoder was trained
  const auto halves = moments.chunk(2, 1);
  return {.mean = halves[0], .log_variance = halves[1].clamp(kLeast, kMost)};
}

Tensor Posterior::divergence() const {
  return 0.5 * (mean.square() + variance() - 1 - log_variance).flatten(1).sum(1);
}

}  // namespace eqm
