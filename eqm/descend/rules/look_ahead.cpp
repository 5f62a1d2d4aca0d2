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

}  // namespace

Rule nesterov_look_ahead(StepSize eta, double mu) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<LookAhead>(std::move(start), eta, mu);
  }};
}

}  // namespace eqm
