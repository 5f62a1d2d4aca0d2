#include "eqm/landscape/ideal_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "eqm/base/error.h"
#include "eqm/landscape/quadrature.h"
#include "eqm/tensor/parallel.h"

namespace eqm {
namespace {

// e^-45 is below double's resolution beside the peak.
constexpr double kNegligible = 45.0;
// Peaks may be wider or narrower than the highest one by a factor; this leaves e^15 for it.
constexpr double kSkipPoint = 60.0;

// The log-integrand of one (state, point) pair as a function of s = ln v.
struct Pair {
  double d1;  // d - 1
  double A;   // ‖r‖²
  double B;   // r·x_i
  double C;   // ‖x_i‖²

  double log_weight(double s) const {
    const double v = std::exp(s);
    return d1 * s - 0.5 * ((A * v + 2 * B) * v + C);
  }

  // Where the slope d1 - B v - A v² vanishes (its one positive root), or 0, the start of the range.
  double peak() const {
    const double root = std::sqrt(B * B + 4 * A * d1);
    const double v = B > 0 ? 2 * d1 / (B + root) : (root - B) / (2 * A);
    return v > 1 ? std::log(v) : 0.0;
  }
};

// The end of the range that matters on one side of the peak.
double window_end(const Pair& pair, double peak, double peak_value, double direction) {
  const double v = std::exp(peak);
  const double curvature = std::abs(2 * pair.A * v * v + pair.B * v);
  double step = 1.0 / std::sqrt(std::max(curvature, 1e-4));
  const auto inside = [&](double s) { return pair.log_weight(s) > peak_value - kNegligible; };
  const auto at = [&](double distance) { return std::max(0.0, peak + direction * distance); };
  while (inside(at(step)) && at(step) > 0 && step < 1e6) step *= 2;
  double near = 0, far = step;
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (near + far);
    (inside(at(middle)) ? near : far) = middle;
  }
  return at(far);
}

// c v at s = ln v. For the constant c, which alone grows without end, not through γ = 1 - 1/v: that
// is rounded to 1 next to a data point.
double pull_at(const Magnitude& magnitude, double s) {
  if (magnitude.kind == MagnitudeKind::constant) return magnitude.lambda * std::exp(s);
  return magnitude.over_distance(-std::expm1(-s));
}

struct Integrals {
  double weight = 0;  // ∫ e^{L - L_peak} ds
  double pull = 0;    // ∫ e^{L - L_peak} c v ds
};

Integrals integrate(const Pair& pair, double peak, double peak_value, const Magnitude& magnitude) {
  const double low = window_end(pair, peak, peak_value, -1);
  const double high = window_end(pair, peak, peak_value, +1);
  // Panels of smooth integrand: two on each side of the peak, the inner one short because a tail
  // towards the data point may be long, and a cut where c(γ) has its kink.
  const double inner = 0.3;
  std::vector<double> cuts = {low, peak - inner * (peak - low), peak, peak + inner * (high - peak),
                              high};
  const bool kinked =
      magnitude.kind == MagnitudeKind::truncated || magnitude.kind == MagnitudeKind::piecewise;
  const double kink = kinked ? -std::log1p(-magnitude.a) : 0.0;
  if (kink > low && kink < high) {
    cuts.insert(std::upper_bound(cuts.begin(), cuts.end(), kink), kink);
  }
  Integrals result;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    const double half = 0.5 * (cuts[i + 1] - cuts[i]);
    if (half <= 0) continue;
    const double middle = 0.5 * (cuts[i] + cuts[i + 1]);
    for (const QuadratureNode& node : gauss_legendre_20()) {
      const double s = middle + half * node.position;
      const double weight = half * node.weight * std::exp(pair.log_weight(s) - peak_value);
      result.weight += weight;
      result.pull += weight * pull_at(magnitude, s);
    }
  }
  return result;
}

// One row: x [d] -> out [d], points [n, d]
void ideal_gradient(const double* x, const double* points, int64_t n, int64_t d,
                    const Magnitude& magnitude, double* out) {
  std::fill(out, out + d, 0.0);
  std::vector<Pair> pairs(static_cast<size_t>(n));
  std::vector<double> peaks(pairs.size()), values(pairs.size());
  double highest = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < pairs.size(); ++i) {
    const double* point = points + static_cast<int64_t>(i) * d;
    Pair pair = {.d1 = static_cast<double>(d - 1), .A = 0, .B = 0, .C = 0};
    for (int64_t j = 0; j < d; ++j) {
      const double r = x[j] - point[j];
      pair.A += r * r;
      pair.B += r * point[j];
      pair.C += point[j] * point[j];
    }
    if (pair.A < std::numeric_limits<double>::min()) return;  // on a data point: all mass at γ = 1
    pairs[i] = pair;
    peaks[i] = pair.peak();
    values[i] = pair.log_weight(peaks[i]);
    highest = std::max(highest, values[i]);
  }
  double total = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (values[i] < highest - kSkipPoint) continue;
    const double share = std::exp(values[i] - highest);
    const Integrals integrals = integrate(pairs[i], peaks[i], values[i], magnitude);
    total += share * integrals.weight;
    const double pull = share * integrals.pull;
    const double* point = points + static_cast<int64_t>(i) * d;
    for (int64_t j = 0; j < d; ++j) out[j] += pull * (x[j] - point[j]);
  }
  for (int64_t j = 0; j < d; ++j) out[j] /= total;
}

}  // namespace

IdealField::IdealField(const Tensor& points, const Magnitude& magnitude)
    : points_(points.flatten(1).to(torch::kFloat64).cpu().contiguous()), magnitude_(magnitude) {
  magnitude.validate();
  if (points.size(0) < 1) {
    throw Error(ErrorKind::usage, "the ideal field needs at least one data point",
                "give points as [n, dimension] with n of at least 1");
  }
}

Tensor IdealField::gradient(const Tensor& x, const Condition&) const {
  const Tensor flat = x.detach().flatten(1).to(torch::kFloat64).cpu().contiguous();
  const int64_t n = points_.size(0), d = points_.size(1);
  if (flat.size(1) != d) {
    throw Error(ErrorKind::usage, "states and data points differ in dimension",
                "give states of the shape that the data points have");
  }
  const Tensor out = torch::empty_like(flat);
  const double* states = flat.data_ptr<double>();
  const double* points = points_.data_ptr<double>();
  double* results = out.data_ptr<double>();
  at::parallel_for(0, flat.size(0), 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      ideal_gradient(states + b * d, points, n, d, magnitude_, results + b * d);
    }
  });
  return out.reshape(x.sizes()).to(x.options());
}

}  // namespace eqm
