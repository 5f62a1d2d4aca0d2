#include <cmath>

#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

constexpr double kEpsilon = 1e-8;

class Adam final : public Course {
 public:
  Adam(State start, StepSize eta, double beta1, double beta2)
      : Course(std::move(start)),
        eta_(eta),
        beta1_(beta1),
        beta2_(beta2),
        mean_(0.0, x_.size()),
        square_(0.0, x_.size()) {}

  Move take(const Answer& answer) override {
    const State& g = answer.gradient;
    mean_ = beta1_ * mean_ + (1 - beta1_) * g;
    square_ = beta2_ * square_ + (1 - beta2_) * g * g;
    const double eta = eta_.at(step_++);
    const double mean_share = 1 - std::pow(beta1_, step_);
    const double square_share = 1 - std::pow(beta2_, step_);
    x_ -= (eta / mean_share) * mean_ / (std::sqrt(State(square_ / square_share)) + kEpsilon);
    return Move::step;
  }

 private:
  StepSize eta_;
  double beta1_, beta2_;
  State mean_, square_;
  int64_t step_ = 0;
};

class RmsProp final : public Course {
 public:
  RmsProp(State start, StepSize eta, double beta)
      : Course(std::move(start)), eta_(eta), beta_(beta), square_(0.0, x_.size()) {}

  Move take(const Answer& answer) override {
    const State& g = answer.gradient;
    square_ = beta_ * square_ + (1 - beta_) * g * g;
    x_ -= eta_.at(step_++) * g / (std::sqrt(square_) + kEpsilon);
    return Move::step;
  }

 private:
  StepSize eta_;
  double beta_;
  State square_;
  int64_t step_ = 0;
};

}  // namespace

Rule adam(StepSize eta, double beta1, double beta2) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<Adam>(std::move(start), eta, beta1, beta2);
  }};
}

Rule rmsprop(StepSize eta, double beta) {
  return {.start = [=](State start, const NoiseSource&) {
    return std::make_unique<RmsProp>(std::move(start), eta, beta);
  }};
}

}  // namespace eqm
