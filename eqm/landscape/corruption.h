// Training pairs: a data sample moved part of the way to noise, and the gradient that should stand there.
#pragma once

#include "eqm/landscape/magnitude.h"
#include "eqm/tensor/torch.h"

namespace eqm {

// x_γ = γ x + (1-γ) ε, with one γ per sample. x, noise [B, ...]; gamma [B]
Tensor corrupt(const Tensor& x, const Tensor& noise, const Tensor& gamma);

// (ε - x) c(γ): points uphill, from data to noise.
Tensor target_gradient(const Tensor& x, const Tensor& noise, const Tensor& gamma,
                       const Magnitude& magnitude);

}  // namespace eqm
