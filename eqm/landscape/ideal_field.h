// The exact minimiser of the EqM objective for a finite data set: f(x) = E[(ε - x_i) c(γ) | x_γ =
// x]. It needs no training and is the oracle for samplers and theory.
//
// Given γ and x_i, ε - x_i = (x - x_i)/(1-γ), so with v = 1/(1-γ), r = x - x_i and s = ln v in [0,
// ∞):
//   f(x) = Σ_i r_i ∫ e^{L_i(s)} c v ds / Σ_i ∫ e^{L_i(s)} ds,
//   L_i(s) = (d-1) s - ½ ‖v r_i + x_i‖².
// L_i has one peak, known in closed form, as narrow as 1/√d; the quadrature is placed around it and
// the sum over points is a log-sum-exp, so that it is accurate in any dimension. All in float64.
#pragma once

#include "eqm/landscape/field.h"
#include "eqm/landscape/magnitude.h"

namespace eqm {

class IdealField final : public Field {
 public:
  // points [n, ...], at least one.
  IdealField(const Tensor& points, const Magnitude& magnitude);

  // Ignores the condition. At a data point itself the posterior sits at γ = 1, and the answer is 0.
  Tensor gradient(const Tensor& x, const Condition& condition) const override;

 private:
  Tensor points_;  // [n, d], float64, contiguous
  Magnitude magnitude_;
};

}  // namespace eqm
