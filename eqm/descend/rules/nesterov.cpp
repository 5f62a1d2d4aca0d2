#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

class LookAhead final : public Course {
 public:
  LookAhead(State start, StepSize eta, double mu)
      : Course(std::move(start)), eta_(eta), mu_(mu), last_(x_) {}

  State probe() const override { return x_ + mu_ * (x_ - last_); }

  Move take(const Answer& answer) override {
    last_ = x_;
    x_ -= eta_.at(step_++) * answer.gradient;
    return Move::step;
  }

 private:
  StepSize eta_;
  double mu_;
  State last_;
  int64_t step_ = 0;
};

class Velocity final : public Course {
 public:
  Velocity(State start, StepSize eta, double mu)
      : Course(std::move(start)), eta_(eta), mu_(mu), velocity_(0.0, x_.size()) {}

  State probe() const override { return x_ + mu_ * velocity_; }

  Move take(const Answer& answer) override {
    velocity_ = mu_ * velocity_ - eta_.at(step_++) * answer.gradient;
    x_ += velocity_;
    return Move::step;
  }

 private:
  StepSize eta_;
  double mu_;
  State velocity_;
  int64_t step_ = 0;
};

}  // namespace

Rule nesterov_look_ahead(StepSize eta, double mu) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<LookAhead>(std::move(start), eta, mu);
  }};
}

Rule nesterov_velocity(StepSize eta, double mu) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<Velocity>(std::move(start), eta, mu);
  }};
}

}  // namespace eqm
