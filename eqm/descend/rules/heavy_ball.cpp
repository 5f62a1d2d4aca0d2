#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

class HeavyBall final : public Course {
 public:
  HeavyBall(State start, StepSize eta, double mu)
      : Course(std::move(start)), eta_(eta), mu_(mu), velocity_(0.0, x_.size()) {}

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

Rule heavy_ball(StepSize eta, double mu) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<HeavyBall>(std::move(start), eta, mu);
  }};
}

}  // namespace eqm
