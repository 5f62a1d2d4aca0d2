// The paths of flow models from noise (t = 0) to data (t = 1), x_t = α(t) data + σ(t) noise, and
// what the SDE samplers need of them: the score, and how much noise to add on the way.
#pragma once

#include <valarray>

#include "eqm/base/names.h"

namespace eqm {

enum class PathKind {
  linear,  // α = t, σ = 1 - t
  gvp,     // α = sin(πt/2), σ = cos(πt/2)
  vp,      // the variance-preserving diffusion: α² + σ² = 1 with a linear noise rate β
};

const Names<PathKind>& path_names();

// The diffusion D(t) of a sampling SDE dx = (v + D s) dt + √(2D) dw. Any D ≥ 0 keeps the
// distribution at each t.
enum class DiffusionForm {
  constant,               // norm
  sbdm,                   // norm · drift_variance(t): the SDE of score-based diffusion
  sigma,                  // norm · σ(t)
  linear,                 // norm · (1 - t)
  decreasing,             // ¼ (norm · cos(πt) + 1)²
  increasing_decreasing,  // norm · sin²(πt)
};

const Names<DiffusionForm>& diffusion_names();

struct NoisePath {
  using Vector = std::valarray<double>;

  PathKind kind = PathKind::linear;
  double beta_min = 0.1, beta_max = 20;  // vp only: the noise rate β at data and at noise

  // Throws a usage error when the noise rates are not 0 < beta_min ≤ beta_max.
  void validate() const;

  double alpha(double t) const;
  double d_alpha(double t) const;
  double sigma(double t) const;
  double d_sigma(double t) const;
  double d_log_alpha(double t) const;  // α'/α; infinite at t = 0 on the paths that begin there

  Vector between(const Vector& data, const Vector& noise, double t) const;   // x_t
  Vector velocity(const Vector& data, const Vector& noise, double t) const;  // dx_t/dt

  // The path as a diffusion from data to noise: its drift at x, and half its squared noise rate.
  Vector drift_mean(const Vector& x, double t) const;  // -(α'/α) x
  double drift_variance(double t) const;               // (α'/α) σ² - σσ'

  double diffusion(DiffusionForm form, double norm, double t) const;

  // What the expected velocity v at x says about the score ∇log p_t(x) and the expected noise, and
  // back. Neither exists at t = 1, where no noise is left.
  Vector score_from_velocity(const Vector& v, const Vector& x, double t) const;
  Vector noise_from_velocity(const Vector& v, const Vector& x, double t) const;
  Vector velocity_from_score(const Vector& score, const Vector& x, double t) const;

 private:
  double log_alpha(double t) const;          // vp only
  double sigma_times_slope(double t) const;  // σσ', which stays finite where σ = 0
};

}  // namespace eqm
