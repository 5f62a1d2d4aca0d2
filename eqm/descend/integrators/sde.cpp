#include <cmath>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/descend/integrators/integrators.h"

namespace eqm {
namespace {

// A step of length h from x at t, with kick = √(2 D(t) h) ξ and the drift f = v + D s:
//   euler  x + kick + f(x, t) h
//   heun   y + (f(y, t) + f(y + f(y, t) h, t + dt)) h/2, with y = x + kick
class SdeCourse final : public Course {
 public:
  SdeCourse(State start, const Sde& numbers, NoiseSource noise)
      : Course(std::move(start)),
        numbers_(numbers),
        noise_(std::move(noise)),
        dt_((numbers.t1 - numbers.t0) / static_cast<double>(numbers.steps)),
        size_(numbers.eta == 0 ? dt_ : numbers.eta),
        kicked_(x_.size()) {
    begin_step();
  }

  State probe() const override { return probe_; }
  double time() const override { return time_; }

  Move take(const Answer& answer) override {
    const State velocity = -answer.gradient;
    if (step_ == numbers_.steps) {
      make_last_step(velocity);
      return Move::arrival;
    }
    const State drift = drift_from(velocity);
    if (numbers_.method == SdeMethod::euler) {
      x_ = kicked_ + size_ * drift;
    } else if (first_drift_.size() == 0) {
      first_drift_ = drift;
      probe_ = kicked_ + size_ * drift;
      time_ += dt_;
      return Move::stage;
    } else {
      x_ = kicked_ + size_ / 2 * (first_drift_ + drift);
    }
    ++step_;
    if (step_ == numbers_.steps && numbers_.last == LastStep::none) return Move::arrival;
    begin_step();
    return Move::step;
  }

 private:
  double diffusion() const { return numbers_.path.diffusion(numbers_.form, numbers_.norm, time_); }

  State score_from(const State& velocity) const {
    return numbers_.path.score_from_velocity(velocity, probe_, time_);
  }

  State drift_from(const State& velocity) const {
    return velocity + diffusion() * score_from(velocity);
  }

  void begin_step() {
    time_ = numbers_.t0 + static_cast<double>(step_) * dt_;
    probe_ = x_;
    if (step_ == numbers_.steps) return;  // the last step has no noise
    noise_(step_, kicked_);
    kicked_ = x_ + std::sqrt(2 * diffusion() * size_) * kicked_;
    if (numbers_.method == SdeMethod::heun) probe_ = kicked_;
    first_drift_.resize(0);
  }

  void make_last_step(const State& velocity) {
    const double alpha = numbers_.path.alpha(time_), sigma = numbers_.path.sigma(time_);
    switch (numbers_.last) {
      case LastStep::none:
        return;
      case LastStep::mean:
        x_ += numbers_.last_step_size * drift_from(velocity);
        return;
      case LastStep::tweedie:
        x_ = (x_ + sigma * sigma * score_from(velocity)) / alpha;
        return;
      case LastStep::euler:
        x_ += numbers_.last_step_size * velocity;
        return;
    }
  }

  Sde numbers_;
  NoiseSource noise_;
  double dt_;    // from one shown time to the next
  double size_;  // h, of an update
  int64_t step_ = 0;
  double time_ = 0;
  State probe_;
  State kicked_;       // x after the noise of this step
  State first_drift_;  // heun: empty until it is known
};

void check(const Sde& numbers) {
  numbers.path.validate();
  if (numbers.steps < 1)
    throw Error(ErrorKind::usage, "an sde needs at least one step", "raise {limit}");
  if (!(numbers.t0 >= 0 && numbers.t0 < numbers.t1 && numbers.t1 <= 1)) {
    throw Error(ErrorKind::usage, "an sde runs from noise to data, 0 <= t0 < t1 <= 1",
                "choose t0 = 0 and t1 = 1");
  }
  if (!(numbers.norm >= 0 && numbers.last_step_size >= 0 && numbers.eta >= 0)) {
    throw Error(ErrorKind::usage, "an sde's norm, step size and last step must not be negative",
                "give numbers of at least 0");
  }
  const bool asks_at_end = numbers.method == SdeMethod::heun || numbers.last == LastStep::mean ||
                           numbers.last == LastStep::tweedie;
  if (numbers.t1 == 1 && asks_at_end) {
    throw Error(ErrorKind::usage,
                "an sde with heun's method or a last step cannot run up to t1 = 1",
                "at data there is no score; stop before, at 0.96 for instance");
  }
  if (!std::isfinite(numbers.path.diffusion(numbers.form, numbers.norm, numbers.t0))) {
    throw Error(ErrorKind::usage,
                fmt::format("the diffusion '{}' is infinite at t0 = {}",
                            name_in(diffusion_names(), numbers.form), numbers.t0),
                "begin a little later, at 0.02 for instance, or choose 'sigma'");
  }
}

}  // namespace

const Names<SdeMethod>& sde_method_names() {
  static const Names<SdeMethod> names = {{"euler", SdeMethod::euler}, {"heun", SdeMethod::heun}};
  return names;
}

const Names<LastStep>& last_step_names() {
  static const Names<LastStep> names = {{"none", LastStep::none},
                                        {"mean", LastStep::mean},
                                        {"tweedie", LastStep::tweedie},
                                        {"euler", LastStep::euler}};
  return names;
}

Rule sde(const Sde& numbers) {
  check(numbers);
  return {.start =
              [=](State start, const NoiseSource& noise) {
                if (!noise)
                  throw Error(ErrorKind::usage, "an sde needs a source of noise",
                              "start it with one that fills states with normal numbers");
                return std::make_unique<SdeCourse>(std::move(start), numbers, noise);
              },
          .keeps_time = true};
}

}  // namespace eqm
