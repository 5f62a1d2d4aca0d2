// c(γ): how steep the landscape is at interpolation factor γ (0 noise, 1 data). Every equilibrium
// landscape has c(1) = 0, so that data are stationary points.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eqm/base/options.h"
#include "eqm/tensor/torch.h"

namespace eqm {

enum class MagnitudeKind {
  constant,   // 1: Flow Matching without time, not an equilibrium
  linear,     // 1 - γ
  truncated,  // 1 up to a, then linearly down to 0
  piecewise,  // from b linearly to 1 at a, then linearly down to 0
};

const Names<MagnitudeKind>& magnitude_names();

struct Magnitude {
  MagnitudeKind kind = MagnitudeKind::truncated;
  double a = 0.8;
  double b = 1.4;  // piecewise only
  double lambda = 4.0;

  // Throws a usage error when a, b or λ is out of its range.
  void validate() const;
  void declare(OptionSet& options);

  double operator()(double gamma) const;
  Tensor operator()(const Tensor& gamma) const;

  // c(γ)/(1-γ), which stays finite up to γ = 1 for every equilibrium landscape.
  double over_distance(double gamma) const;
};

}  // namespace eqm
