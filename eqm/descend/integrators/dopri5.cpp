// Dormand-Prince 5(4) as torchdiffeq runs it, so that its numbers can be compared: the first step
// by Hairer's rule, every later one from the error of the one before. Six new slopes make an
// attempt; the last of them is the first of the next (FSAL). Steps do not aim at the end: the
// one that passes it is interpolated there.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "eqm/base/error.h"
#include "eqm/descend/integrators/integrators.h"

namespace eqm {
namespace {

constexpr size_t kStages = 7;
using Row = std::array<double, kStages>;

constexpr Row kTimes = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
// The last row is also that of the result: the last slope is asked for at the end of the step.
constexpr std::array<Row, kStages> kSlopes = {{
    {},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
}};
// The result of order 5 minus torchdiffeq's of order 4.
constexpr Row kError = {35. / 384 - 1951. / 21600,
                        0,
                        500. / 1113 - 22642. / 50085,
                        125. / 192 - 451. / 720,
                        -2187. / 6784 + 12231. / 42400,
                        11. / 84 - 649. / 6300,
                        -1. / 60};
// The state in the middle of the step.
constexpr Row kMiddle = {6025192743. / 30085553152 / 2,     0,
                         51252292925. / 65400821598 / 2,    -2691868925. / 45128329728 / 2,
                         187940372067. / 1594534317056 / 2, -1776094331. / 19743644256 / 2,
                         11237099. / 235043384 / 2};

constexpr double kOrder = 5;
constexpr double kSafety = 0.9;
constexpr double kLeastFactor = 0.2, kMostFactor = 10;

double rms(const State& x) {
  return norm(x) / std::sqrt(static_cast<double>(x.size()));
}

class Course5 final : public Dopri5Course {
 public:
  // Time runs forward inside: where t1 is the earlier end, clocks and slopes change their sign.
  Course5(State start, const Dopri5& numbers)
      : Dopri5Course(std::move(start)),
        numbers_(numbers),
        direction_(numbers.t1 < numbers.t0 ? -1 : 1),
        clock_(direction_ * numbers.t0),
        end_(direction_ * numbers.t1),
        ask_at_(clock_),
        probe_(x_) {}

  State probe() const override { return probe_; }
  double time() const override { return direction_ * ask_at_; }
  bool knows_slope() const override { return phase_ != Phase::start && clock_ < end_; }
  bool may_reject() const override { return phase_ == Phase::stages; }

  double way() const override {
    const double begin = direction_ * numbers_.t0;
    return std::clamp((clock_ - begin) / (end_ - begin), 0.0, 1.0);
  }

  double reached() const override { return direction_ * clock_; }
  int64_t attempts() const override { return attempts_; }
  double error_ratio() const override { return error_ratio_; }

  State at(double t) const override {
    if (quartic_[0].size() == 0) return x_;  // before the first step
    const double part = (direction_ * t - before_) / (clock_ - before_);
    State x = quartic_[4];
    for (size_t power = 4; power-- > 0;) x = x * part + quartic_[power];
    return x;
  }

  Move take(const Answer& answer) override {
    const State slope = -direction_ * answer.gradient;
    switch (phase_) {
      case Phase::start:
        slopes_[0] = slope;
        try_a_little();
        return Move::stage;
      case Phase::little:
        size_ = first_size(slope);
        return attempt(Move::stage);
      case Phase::stages:
        slopes_[stage_] = slope;
        if (stage_ + 1 == kStages) return accept_or_reject();
        ask(stage_ + 1);
        return Move::stage;
    }
    throw Error(ErrorKind::internal, "unknown phase of dopri5");
  }

 private:
  enum class Phase {
    start,   // asks for the slope at the start
    little,  // asks for it after a little step, to guess the first size
    stages,  // asks for the slopes of an attempt
  };

  // h Σ_i weight_i slope_i
  State weighted(const Row& weights) const {
    State sum(0.0, x_.size());
    for (size_t i = 0; i < kStages; ++i) {
      if (weights[i] != 0) sum += (size_ * weights[i]) * slopes_[i];
    }
    return sum;
  }

  void try_a_little() {
    const State scale = numbers_.atol + numbers_.rtol * std::abs(x_);
    const double d0 = rms(x_ / scale), d1 = rms(slopes_[0] / scale);
    size_ = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    ask_at_ = clock_ + size_;
    probe_ = x_ + size_ * slopes_[0];
    phase_ = Phase::little;
  }

  // The size at which a step of this order would have an error of about a hundredth.
  double first_size(const State& slope) const {
    const State scale = numbers_.atol + numbers_.rtol * std::abs(x_);
    const double d1 = rms(slopes_[0] / scale);
    const double d2 = rms((slope - slopes_[0]) / scale) / size_;
    const double guess = d1 <= 1e-15 && d2 <= 1e-15 ? std::max(1e-6, size_ * 1e-3)
                                                    : std::pow(0.01 / std::max(d1, d2), 1 / kOrder);
    return std::min(100 * size_, guess);
  }

  // Begins an attempt with the size that is set, after the given move; or gives up.
  Move attempt(Move move) {
    const bool moves = clock_ + size_ > clock_;  // false also when it is not a number
    if (!moves || attempts_ == numbers_.most_attempts) {
      x_ = std::numeric_limits<double>::quiet_NaN();
      return Move::arrival;
    }
    phase_ = Phase::stages;
    ask(1);
    return move;
  }

  void ask(size_t stage) {
    stage_ = stage;
    ask_at_ = clock_ + kTimes[stage] * size_;
    probe_ = x_ + weighted(kSlopes[stage]);
  }

  Move accept_or_reject() {
    ++attempts_;
    error_ratio_ = ratio(weighted(kError));
    const bool accepted = error_ratio_ <= 1;
    if (accepted) accept();
    if (accepted && clock_ >= end_) {
      x_ = at(numbers_.t1);
      return Move::arrival;
    }
    size_ *= factor();
    return attempt(accepted ? Move::step : Move::stage);
  }

  double ratio(const State& error) const {
    const State& after = probe_;
    double sum = 0;
    for (size_t i = 0; i < error.size(); ++i) {
      const double large = std::max(std::abs(x_[i]), std::abs(after[i]));
      const double part = error[i] / (numbers_.atol + numbers_.rtol * large);
      sum += part * part;
    }
    return std::sqrt(sum / static_cast<double>(error.size()));
  }

  // What the error makes of the step size. One that is no number counts as infinite.
  double factor() const {
    if (error_ratio_ == 0) return kMostFactor;
    if (std::isnan(error_ratio_)) return kLeastFactor;
    const double least = error_ratio_ < 1 ? 1 : kLeastFactor;
    return std::clamp(kSafety / std::pow(error_ratio_, 1 / kOrder), least, kMostFactor);
  }

  // The quartic in the part of the step meets both ends with their slopes, and the middle.
  void accept() {
    const State middle = x_ + weighted(kMiddle);
    const State after = probe_;
    const State begin = size_ * slopes_.front(), end = size_ * slopes_.back();
    quartic_[0] = x_;
    quartic_[1] = begin;
    quartic_[2] = end - 4.0 * begin - 11.0 * x_ - 5.0 * after + 16.0 * middle;
    quartic_[3] = 5.0 * begin - 3.0 * end + 18.0 * x_ + 14.0 * after - 32.0 * middle;
    quartic_[4] = 2.0 * (end - begin) - 8.0 * (after + x_) + 16.0 * middle;
    before_ = clock_;
    clock_ += size_;
    x_ = after;
    slopes_.front() = slopes_.back();
  }

  Dopri5 numbers_;
  double direction_;
  double clock_, end_;  // where x is, and where to go
  double before_ = 0;   // where the last accepted step began
  double size_ = 0;     // of the step that is tried
  std::array<State, kStages> slopes_;
  std::array<State, 5> quartic_;  // coefficients of the last accepted step, lowest power first

  Phase phase_ = Phase::start;
  size_t stage_ = 0;  // whose slope is asked for
  double ask_at_;
  State probe_;

  int64_t attempts_ = 0;
  double error_ratio_ = std::numeric_limits<double>::quiet_NaN();
};

void check(const Dopri5& numbers) {
  if (!std::isfinite(numbers.t0) || !std::isfinite(numbers.t1) || numbers.t0 == numbers.t1) {
    throw Error(ErrorKind::usage, "an integrator needs two different times to run between",
                "choose finite t0 and t1, such as 0 and 1");
  }
  if (!(numbers.atol > 0) || !(numbers.rtol >= 0)) {
    throw Error(ErrorKind::usage, "dopri5 needs an atol above 0 and an rtol of at least 0",
                "1e-6 and 1e-3 are the reference's");
  }
  if (numbers.most_attempts < 1) {
    throw Error(ErrorKind::usage, "dopri5 needs at least one attempt", "raise {limit}");
  }
}

}  // namespace

std::unique_ptr<Dopri5Course> dopri5_course(State start, const Dopri5& numbers) {
  check(numbers);
  return std::make_unique<Course5>(std::move(start), numbers);
}

Rule dopri5(const Dopri5& numbers) {
  check(numbers);
  return {.start = [=](State start,
                       const NoiseSource&) { return dopri5_course(std::move(start), numbers); },
          .keeps_time = true};
}

}  // namespace eqm
