#include "eqm/landscape/corruption.h"

#include <cmath>

#include "eqm/tensor/rows.h"

namespace eqm {

Tensor corrupt(const Tensor& x, const Tensor& noise, const Tensor& gamma) {
  const Tensor g = per_row(gamma, x);
  return g * x + (1 - g) * noise;
}

Tensor target_gradient(const Tensor& x, const Tensor& noise, const Tensor& gamma,
                       const Magnitude& magnitude) {
  return (noise - x) * per_row(magnitude(gamma), x);
}

Tensor focused_gamma(const Tensor& uniform, double focus, double least) {
  if (focus == 0) return uniform;
  if (focus == 1) return 1 - torch::pow(least, uniform);
  const double power = 1 - focus;
  return 1 - (1 + uniform * (std::pow(least, power) - 1)).pow(1 / power);
}

}  // namespace eqm
