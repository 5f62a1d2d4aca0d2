#include <cmath>

#include "eqm/descend/rules/rules.h"

namespace eqm {
namespace {

class Langevin final : public Course {
 public:
  Langevin(State start, StepSize eta, double temperature, NoiseSource noise)
      : Course(std::move(start)),
        eta_(eta),
        temperature_(temperature),
        noise_(std::move(noise)),
        kick_(x_.size()) {}

  Move take(const Answer& answer) override {
    const double eta = eta_.at(step_);
    noise_(step_, kick_);
    x_ += std::sqrt(2 * eta * temperature_) * kick_ - eta * answer.gradient;
    ++step_;
    return Move::step;
  }

 private:
  StepSize eta_;
  double temperature_;
  NoiseSource noise_;
  State kick_;
  int64_t step_ = 0;
};

}  // namespace

Rule langevin(StepSize eta, double temperature) {
  return {.start = [=](State start, const NoiseSource& noise) {
    return std::make_unique<Langevin>(std::move(start), eta, temperature, noise);
  }};
}

}  // namespace eqm
