#include "eqm/landscape/descent_time.h"

#include <algorithm>
#include <cmath>

#include "eqm/base/error.h"

namespace eqm {
namespace {

// ln(0.2/r), where r is what a descent leaves of the way: the paper's truncated c at a = 0.8 takes
// 0.8 for its flat part and 0.2·11 for its decaying one, at λ = 1.
constexpr double kDecayingPart = 0.2, kDecayTimes = 11;

// ∫ dγ/c over what decays linearly from 1 at `from` to 0 at γ = 1.
double decay_time(double from) {
  return (1 - from) * (kDecayTimes + std::log((1 - from) / kDecayingPart));
}

// ∫ dγ/c where c goes linearly from b to 1 over [0, a]. Noise where c is 0 would never be left.
double slope_time(double a, double b) {
  constexpr double kLeastMagnitude = 0.01;
  const double start = std::max(b, kLeastMagnitude);
  return std::abs(start - 1) < 1e-6 ? a : a * std::log(start) / (start - 1);
}

}  // namespace

double descent_time(const Magnitude& c) {
  const double scale = std::max(1e-9, c.lambda);
  switch (c.kind) {
    case MagnitudeKind::constant:
      return 1 / scale;
    case MagnitudeKind::linear:
      return decay_time(0) / scale;
    case MagnitudeKind::truncated:
      // a + decay_time(a), written so that it is 3 to the last bit where a is the paper's
      return (kDecayTimes - (kDecayTimes - 1) * c.a +
              (1 - c.a) * std::log((1 - c.a) / kDecayingPart)) /
             scale;
    case MagnitudeKind::piecewise:
      return (slope_time(c.a, c.b) + decay_time(c.a)) / scale;
  }
  throw Error(ErrorKind::internal, "unknown landscape");
}

}  // namespace eqm
