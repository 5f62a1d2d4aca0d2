#include "eqm/landscape/corruption.h"

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

}  // namespace eqm
