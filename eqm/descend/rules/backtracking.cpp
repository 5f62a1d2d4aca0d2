#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

constexpr double kPromise = 1e-4;  // the part of the promised descent that is asked for
// From the longest step that can be asked for, 1e30; then what is left to gain is lost in rounding.
constexpr int kMostHalvings = 140;

class Backtracking final : public Course {
 public:
  Backtracking(State start, StepSize eta) : Course(std::move(start)), eta_(eta) {}

  State probe() const override {
    if (!trying_) return x_;
    return x_ - size_ * here_.gradient;
  }

  bool knows_slope() const override { return trying_; }
  bool may_reject() const override { return trying_; }

  Move take(const Answer& answer) override {
    if (!trying_) {  // the very first answer: at the start
      here_ = answer;
      size_ = eta_.at(0);
      trying_ = true;
      return Move::stage;
    }
    const double slope = dot(here_.gradient, here_.gradient);
    if (is_finite(answer.gradient) && answer.energy <= here_.energy - kPromise * size_ * slope) {
      x_ -= size_ * here_.gradient;
      here_ = answer;
      if (halvings_ == 0) size_ *= 2;
      halvings_ = 0;
      return Move::step;
    }
    size_ /= 2;
    return ++halvings_ < kMostHalvings ? Move::stage : Move::rest;
  }

 private:
  StepSize eta_;
  Answer here_;
  double size_ = 0;
  int halvings_ = 0;
  bool trying_ = false;
};

}  // namespace

Rule backtracking(StepSize eta) {
  return {.start =
              [=](State start, const NoiseSource&) {
                return std::make_unique<Backtracking>(std::move(start), eta);
              },
          .needs_energy = true};
}

}  // namespace eqm
