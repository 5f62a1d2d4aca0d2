#include "eqm/landscape/magnitude.h"

#include <cmath>

#include "eqm/base/error.h"

namespace eqm {

const Names<MagnitudeKind>& magnitude_names() {
  static const Names<MagnitudeKind> names = {{"constant", MagnitudeKind::constant},
                                             {"linear", MagnitudeKind::linear},
                                             {"truncated", MagnitudeKind::truncated},
                                             {"piecewise", MagnitudeKind::piecewise}};
  return names;
}

void Magnitude::validate() const {
  const bool flat_part = kind == MagnitudeKind::truncated || kind == MagnitudeKind::piecewise;
  if (flat_part && !(a >= 0 && a < 1)) {
    throw Error(ErrorKind::usage, "the landscape's a must be at least 0 and below 1",
                "the paper uses 0.8");
  }
  if (kind == MagnitudeKind::piecewise && !(a > 0)) {
    throw Error(ErrorKind::usage, "a piecewise landscape needs a above 0", "the paper uses 0.8");
  }
  if (!(b >= 0) || !std::isfinite(b)) {
    throw Error(ErrorKind::usage, "the landscape's b must be at least 0",
                "the paper tries 0.8 and 1.4");
  }
  if (!(lambda > 0) || !std::isfinite(lambda)) {
    throw Error(ErrorKind::usage, "the landscape's lambda must be above 0", "the paper uses 4");
  }
}

void Magnitude::declare(OptionSet& options) {
  options.choice("c", kind, magnitude_names(),
                 "gradient magnitude c(γ) from noise (γ=0) to data (γ=1)");
  options.number("a", a, {.least = 0, .most = 0.999},
                 "truncated, piecewise: γ from which the gradient decays to 0");
  options.number("b", b, Range::between(0, 1e6), "piecewise: magnitude at γ=0");
  options.number("lambda", lambda, {.least = 0, .most = 1e6, .above = true}, "multiplies c(γ)");
}

double Magnitude::operator()(double gamma) const {
  switch (kind) {
    case MagnitudeKind::constant:
      return lambda;
    case MagnitudeKind::linear:
      return lambda * (1 - gamma);
    case MagnitudeKind::truncated:
      return lambda * (gamma <= a ? 1.0 : (1 - gamma) / (1 - a));
    case MagnitudeKind::piecewise:
      return lambda * (gamma <= a ? b - (b - 1) * gamma / a : (1 - gamma) / (1 - a));
  }
  throw Error(ErrorKind::internal, "unknown landscape");
}

double Magnitude::over_distance(double gamma) const {
  if (kind == MagnitudeKind::linear) return lambda;
  const bool decaying = kind != MagnitudeKind::constant && gamma > a;
  if (decaying) return lambda / (1 - a);
  return (*this)(gamma) / (1 - gamma);
}

Tensor Magnitude::operator()(const Tensor& gamma) const {
  switch (kind) {
    case MagnitudeKind::constant:
      return torch::full_like(gamma, lambda);
    case MagnitudeKind::linear:
      return lambda * (1 - gamma);
    case MagnitudeKind::truncated:
      return lambda * torch::where(gamma <= a, torch::ones_like(gamma), (1 - gamma) / (1 - a));
    case MagnitudeKind::piecewise:
      return lambda * torch::where(gamma <= a, b - (b - 1) / a * gamma, (1 - gamma) / (1 - a));
  }
  throw Error(ErrorKind::internal, "unknown landscape");
}

}  // namespace eqm
