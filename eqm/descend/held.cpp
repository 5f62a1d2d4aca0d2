#include "eqm/descend/held.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "eqm/base/error.h"

namespace eqm {
namespace {

double distance_of_known(const State& x, const HeldPart& part) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (part.known[i]) sum += (x[i] - part.values[i]) * (x[i] - part.values[i]);
  }
  return std::sqrt(sum);
}

class HeldCourse final : public Course {
 public:
  HeldCourse(std::unique_ptr<Course> inner, std::shared_ptr<const HeldPart> part)
      : Course(inner->x()),
        inner_(std::move(inner)),
        part_(std::move(part)),
        whole_(distance_of_known(x_, *part_)) {}

  State probe() const override { return inner_->probe(); }
  double time() const override { return inner_->time(); }
  bool knows_slope() const override { return inner_->knows_slope(); }
  bool may_reject() const override { return inner_->may_reject(); }
  double way() const override { return inner_->way(); }

  Move take(const Answer& answer) override {
    const State at = inner_->probe();
    const double left = whole_ > 0 ? distance_of_known(at, *part_) / whole_ : 0;
    const double pull =
        answer.weight * part_->magnitude.over_distance(1 - std::clamp(left, 0.0, 1.0));
    Answer seen = answer;
    for (size_t i = 0; i < at.size(); ++i) {
      if (part_->known[i]) seen.gradient[i] = pull * (at[i] - part_->values[i]);
    }
    const Move move = inner_->take(seen);
    x_ = inner_->x();
    return move;
  }

 private:
  std::unique_ptr<Course> inner_;
  std::shared_ptr<const HeldPart> part_;
  double whole_;  // the known elements' way from their start
};

}  // namespace

Rule held(Rule rule, HeldPart part) {
  if (part.known.size() != part.values.size()) {
    throw Error(ErrorKind::usage, "the known elements and their values differ in number",
                "give one of each for every element of a state");
  }
  if (part.magnitude.kind == MagnitudeKind::constant) {
    throw Error(ErrorKind::usage, "a landscape of constant c has no rest to hold elements at",
                "hold parts of states in an equilibrium landscape");
  }
  Rule holding = rule;
  holding.start = [start = std::move(rule.start),
                   shared = std::make_shared<const HeldPart>(std::move(part))](
                      const State& from, const NoiseSource& noise) -> std::unique_ptr<Course> {
    if (from.size() != shared->values.size()) {
      throw Error(ErrorKind::usage, "a start has another size than what is held of it",
                  "give starts of the size of the values");
    }
    return std::make_unique<HeldCourse>(start(from, noise), shared);
  };
  return holding;
}

State with_known(State x, const HeldPart& part) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (part.known[i]) x[i] = part.values[i];
  }
  return x;
}

}  // namespace eqm
