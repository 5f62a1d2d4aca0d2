#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

class GradientDescent final : public Course {
 public:
  GradientDescent(State start, StepSize eta) : Course(std::move(start)), eta_(eta) {}

  Move take(const Answer& answer) override {
    x_ -= eta_.at(step_++) * answer.gradient;
    return Move::step;
  }

 private:
  StepSize eta_;
  int64_t step_ = 0;
};

}  // namespace

Rule gradient_descent(StepSize eta) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<GradientDescent>(std::move(start), eta);
  }};
}

}  // namespace eqm
