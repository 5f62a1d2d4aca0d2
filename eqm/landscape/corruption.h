// Training pairs: a data sample moved part of the way to noise, and the gradient that should stand
// there.
#pragma once

#include "eqm/landscape/magnitude.h"
#include "eqm/tensor/torch.h"

namespace eqm {

// x_γ = γ x + (1-γ) ε, with one γ per sample. x, noise [B, ...]; gamma [B]
Tensor corrupt(const Tensor& x, const Tensor& noise, const Tensor& gamma);

// (ε - x) c(γ): points uphill, from data to noise.
Tensor target_gradient(const Tensor& x, const Tensor& noise, const Tensor& gamma,
                       const Magnitude& magnitude);

// γ from uniform draws, with density proportional to (1-γ)^-focus down to 1-γ = least. Focus 0 is
// the paper's uniform γ. In d dimensions the posterior of γ at a state carries a factor (1-γ)^-d,
// which separates clean states from noisy ones; focus adds to d, and makes 2-D data behave as in a
// larger space.
Tensor focused_gamma(const Tensor& uniform, double focus, double least);

}  // namespace eqm
