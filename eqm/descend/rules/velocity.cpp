#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

// Both methods with a velocity; they differ in how far ahead along it the gradient is asked for.
class Velocity final : public Course {
 public:
  Velocity(State start, StepSize eta, double mu, double ahead)
      : Course(std::move(start)), eta_(eta), mu_(mu), ahead_(ahead), velocity_(0.0, x_.size()) {}

  State probe() const override { return x_ + ahead_ * velocity_; }

  Move take(const Answer& answer) override {
    velocity_ = mu_ * velocity_ - eta_.at(step_++) * answer.gradient;
    x_ += velocity_;
    return Move::step;
  }

 private:
  StepSize eta_;
  double mu_, ahead_;
  State velocity_;
  int64_t step_ = 0;
};

Rule velocity_rule(StepSize eta, double mu, double ahead) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<Velocity>(std::move(start), eta, mu, ahead);
  }};
}

}  // namespace

Rule nesterov_velocity(StepSize eta, double mu) {
  return velocity_rule(eta, mu, mu);
}

Rule heavy_ball(StepSize eta, double mu) {
  return velocity_rule(eta, mu, 0);
}

}  // namespace eqm
