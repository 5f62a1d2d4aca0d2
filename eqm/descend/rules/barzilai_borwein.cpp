#include <algorithm>

#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

class BarzilaiBorwein final : public Course {
 public:
  BarzilaiBorwein(State start, StepSize eta, double most)
      : Course(std::move(start)), eta_(eta), most_(most) {}

  Move take(const Answer& answer) override {
    const double first = eta_.at(step_);
    double eta = first;
    if (step_ > 0) {
      const State bend = answer.gradient - gradient_;
      const double curvature = dot(moved_, bend);
      if (curvature > 0) eta = std::min(dot(moved_, moved_) / curvature, most_ * first);
    }
    gradient_ = answer.gradient;
    moved_ = -eta * gradient_;
    x_ += moved_;
    ++step_;
    return Move::step;
  }

 private:
  StepSize eta_;
  double most_;
  State gradient_, moved_;  // at the last point, and from it to this one
  int64_t step_ = 0;
};

}  // namespace

Rule barzilai_borwein(StepSize eta, double most) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<BarzilaiBorwein>(std::move(start), eta, most);
  }};
}

}  // namespace eqm
