// The landscape knows its own shape. On the way x = γ x₀ + (1-γ) ε the field is (ε - x₀) c(γ), and
// a step of size η moves γ by η c(γ). So the flat part, where c does not sink yet, can be walked in
// a few even steps of γ, and where c sinks in proportion to the distance that is left,
// c = (1-γ) s, the step 1/s ends on the predicted data point itself: x - f/s = x₀. That is landing;
// what the prediction lacks, a few more landings mend. A learned landscape is a little gentler near
// the data than the one it learned from, so that landings which go somewhat too far (glide) come
// nearer than exact ones; the last is exact.
//
// The norm of f shows each sample where it is: over the flat part it stays, and once it has sunk
// against what the walk would make of it the sample lands, however far it has counted.
#include <algorithm>
#include <cmath>

#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

constexpr double kSunk = 0.6;          // of the expected norm: clearly on the slope
constexpr double kLeastC = 0.05;       // of its largest: below, the direction is not reliable
constexpr double kEdgeOfLinear = 0.8;  // c sinks from the start; predictions are good from here on

// Up to which γ to walk.
double edge_of(const Magnitude& magnitude) {
  if (magnitude.kind == MagnitudeKind::constant) return 1;
  return magnitude.kind == MagnitudeKind::linear ? kEdgeOfLinear : magnitude.a;
}

class WalkAndLandCourse final : public Course {
 public:
  WalkAndLandCourse(State start, const WalkAndLand& numbers)
      : Course(std::move(start)),
        numbers_(numbers),
        edge_(edge_of(numbers.magnitude)),
        pace_(edge_ / static_cast<double>(std::max<int64_t>(1, numbers.walk))),
        landing_(1 / numbers.magnitude.over_distance(1)) {}

  double time() const override { return gamma_; }

  Move take(const Answer& answer) override {
    const State gradient = answer.gradient / answer.weight;
    const double length = norm(gradient);
    if (gamma_ < edge_ && !has_sunk(length)) {
      walk(gradient, length);
      const bool over = gamma_ >= edge_ && numbers_.land == 0;
      return over ? Move::arrival : Move::step;
    }
    gamma_ = std::max(gamma_, edge_);
    const bool last = ++landed_ >= numbers_.land;
    const double step = (last ? 1 : numbers_.glide) * landing_;
    x_ -= step * gradient;
    gamma_ = std::min(1.0, gamma_ + step * numbers_.magnitude(gamma_));
    return last ? Move::arrival : Move::step;
  }

 private:
  // Per unit of c the field is ε - x₀, which changes little along the way.
  bool has_sunk(double length) const {
    return numbers_.land > 0 && plain_ > 0 && length < kSunk * plain_ * c();
  }

  double c() const {
    return std::max(numbers_.magnitude(gamma_), kLeastC * numbers_.magnitude.lambda);
  }

  void walk(const State& gradient, double length) {
    const State direction = gradient / c();  // ε - x₀
    if (numbers_.order > 1 && last_.size() > 0) {
      x_ -= pace_ * (1.5 * direction - 0.5 * last_);
    } else {
      x_ -= pace_ * direction;
    }
    last_ = direction;
    plain_ = length / c();
    gamma_ += pace_;
    if (edge_ - gamma_ < 1e-9) gamma_ = edge_;
  }

  WalkAndLand numbers_;
  double edge_, pace_, landing_;
  double gamma_ = 0;  // as counted
  double plain_ = 0;  // the last ‖ε - x₀‖
  int64_t landed_ = 0;
  State last_;
};

}  // namespace

Rule walk_and_land(const WalkAndLand& numbers) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<WalkAndLandCourse>(std::move(start), numbers);
  }};
}

}  // namespace eqm
