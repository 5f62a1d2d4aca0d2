#include "eqm/landscape/noise_path.h"

#include <cmath>
#include <numbers>

#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kQuarterTurn = std::numbers::pi / 2;

double square(double value) {
  return value * value;
}

Error unknown_path() {
  return {ErrorKind::internal, "unknown path"};
}

}  // namespace

const Names<PathKind>& path_names() {
  static const Names<PathKind> names = {
      {"linear", PathKind::linear}, {"gvp", PathKind::gvp}, {"vp", PathKind::vp}};
  return names;
}

const Names<DiffusionForm>& diffusion_names() {
  static const Names<DiffusionForm> names = {
      {"constant", DiffusionForm::constant},
      {"sbdm", DiffusionForm::sbdm},
      {"sigma", DiffusionForm::sigma},
      {"linear", DiffusionForm::linear},
      {"decreasing", DiffusionForm::decreasing},
      {"increasing-decreasing", DiffusionForm::increasing_decreasing}};
  return names;
}

void NoisePath::validate() const {
  if (kind != PathKind::vp) return;
  if (!(beta_min > 0 && beta_max >= beta_min) || !std::isfinite(beta_max)) {
    throw Error(ErrorKind::usage,
                "the noise rates of a vp path must be above 0 and must not decrease",
                "the reference uses 0.1 and 20");
  }
}

// -½ of the noise rate β(t) = beta_min + (1-t)(beta_max - beta_min), integrated from t to 1.
double NoisePath::log_alpha(double t) const {
  return -0.25 * square(1 - t) * (beta_max - beta_min) - 0.5 * (1 - t) * beta_min;
}

double NoisePath::alpha(double t) const {
  switch (kind) {
    case PathKind::linear:
      return t;
    case PathKind::gvp:
      return std::sin(kQuarterTurn * t);
    case PathKind::vp:
      return std::exp(log_alpha(t));
  }
  throw unknown_path();
}

double NoisePath::d_alpha(double t) const {
  switch (kind) {
    case PathKind::linear:
      return 1;
    case PathKind::gvp:
      return kQuarterTurn * std::cos(kQuarterTurn * t);
    case PathKind::vp:
      return alpha(t) * d_log_alpha(t);
  }
  throw unknown_path();
}

double NoisePath::d_log_alpha(double t) const {
  switch (kind) {
    case PathKind::linear:
      return 1 / t;
    case PathKind::gvp:
      return kQuarterTurn / std::tan(kQuarterTurn * t);
    case PathKind::vp:
      return 0.5 * (beta_min + (1 - t) * (beta_max - beta_min));
  }
  throw unknown_path();
}

double NoisePath::sigma(double t) const {
  switch (kind) {
    case PathKind::linear:
      return 1 - t;
    case PathKind::gvp:
      return std::cos(kQuarterTurn * t);
    case PathKind::vp:
      return std::sqrt(-std::expm1(2 * log_alpha(t)));
  }
  throw unknown_path();
}

double NoisePath::sigma_times_slope(double t) const {
  switch (kind) {
    case PathKind::linear:
      return t - 1;
    case PathKind::gvp:
      return -kQuarterTurn * std::cos(kQuarterTurn * t) * std::sin(kQuarterTurn * t);
    case PathKind::vp:
      return -alpha(t) * d_alpha(t);  // α² + σ² = 1
  }
  throw unknown_path();
}

double NoisePath::d_sigma(double t) const {
  switch (kind) {
    case PathKind::linear:
      return -1;
    case PathKind::gvp:
      return -kQuarterTurn * std::sin(kQuarterTurn * t);
    case PathKind::vp:
      return sigma_times_slope(t) / sigma(t);
  }
  throw unknown_path();
}

NoisePath::Vector NoisePath::between(const Vector& data, const Vector& noise, double t) const {
  return alpha(t) * data + sigma(t) * noise;
}

NoisePath::Vector NoisePath::velocity(const Vector& data, const Vector& noise, double t) const {
  return d_alpha(t) * data + d_sigma(t) * noise;
}

NoisePath::Vector NoisePath::drift_mean(const Vector& x, double t) const {
  return -d_log_alpha(t) * x;
}

double NoisePath::drift_variance(double t) const {
  return d_log_alpha(t) * square(sigma(t)) - sigma_times_slope(t);
}

double NoisePath::diffusion(DiffusionForm form, double norm, double t) const {
  switch (form) {
    case DiffusionForm::constant:
      return norm;
    case DiffusionForm::sbdm:
      return norm * drift_variance(t);
    case DiffusionForm::sigma:
      return norm * sigma(t);
    case DiffusionForm::linear:
      return norm * (1 - t);
    case DiffusionForm::decreasing:
      return 0.25 * square(norm * std::cos(kPi * t) + 1);
    case DiffusionForm::increasing_decreasing:
      return norm * square(std::sin(kPi * t));
  }
  throw Error(ErrorKind::internal, "unknown diffusion form");
}

// From x = α data + σ noise and v = α' data + σ' noise, in expectation, the data cancel in
// (α/α') v - x = ((α/α') σ' - σ) noise; and the score is -noise/σ. α/α' is 0 where α begins at 0.
NoisePath::Vector NoisePath::noise_from_velocity(const Vector& v, const Vector& x, double t) const {
  const double ratio = alpha(t) / d_alpha(t);
  return (ratio * v - x) / (ratio * d_sigma(t) - sigma(t));
}

NoisePath::Vector NoisePath::score_from_velocity(const Vector& v, const Vector& x, double t) const {
  const double ratio = alpha(t) / d_alpha(t);
  return (ratio * v - x) / (square(sigma(t)) - ratio * sigma_times_slope(t));
}

NoisePath::Vector NoisePath::velocity_from_score(const Vector& score, const Vector& x,
                                                 double t) const {
  return drift_variance(t) * score - drift_mean(x, t);
}

}  // namespace eqm
