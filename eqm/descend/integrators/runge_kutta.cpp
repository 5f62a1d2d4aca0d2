#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "eqm/base/error.h"
#include "eqm/descend/integrators/integrators.h"

namespace eqm {
namespace {

constexpr size_t kMostStages = 4;
using StageRow = std::array<double, kMostStages>;

// Butcher's: slope i is asked for at time t + c_i h and state x + h Σ_j a_ij slope_j, and the step
// is h Σ_i b_i slope_i.
struct Tableau {
  size_t stages;
  StageRow c;
  std::array<StageRow, kMostStages> a;
  StageRow b;
};

constexpr StageRow kNone = {0, 0, 0, 0};

constexpr Tableau kEuler = {1, kNone, {kNone}, {1}};
constexpr Tableau kHeun = {2, {0, 1}, {kNone, {1}}, {1. / 2, 1. / 2}};
constexpr Tableau kMidpoint = {2, {0, 1. / 2}, {kNone, {1. / 2}}, {0, 1}};
constexpr Tableau kHeun3 = {
    3, {0, 1. / 3, 2. / 3}, {kNone, {1. / 3}, {0, 2. / 3}}, {1. / 4, 0, 3. / 4}};
constexpr Tableau kThreeEighths = {4,
                                   {0, 1. / 3, 2. / 3, 1},
                                   {kNone, {1. / 3}, {-1. / 3, 1}, {1, -1, 1}},
                                   {1. / 8, 3. / 8, 3. / 8, 1. / 8}};
constexpr Tableau kClassical = {4,
                                {0, 1. / 2, 1. / 2, 1},
                                {kNone, {1. / 2}, {0, 1. / 2}, {0, 0, 1}},
                                {1. / 6, 1. / 3, 1. / 3, 1. / 6}};

const Tableau& tableau_of(RungeKutta method) {
  switch (method) {
    case RungeKutta::euler:
      return kEuler;
    case RungeKutta::heun:
      return kHeun;
    case RungeKutta::heun3:
      return kHeun3;
    case RungeKutta::midpoint:
      return kMidpoint;
    case RungeKutta::rk4:
      return kThreeEighths;
    case RungeKutta::rk4_classical:
      return kClassical;
  }
  throw Error(ErrorKind::internal, "unknown integrator");
}

// The steps of a course, which all samples share.
struct Steps {
  int64_t count = 0;
  double t0 = 0, even = 0;         // where they begin, and how long they are, when they are equal
  std::vector<double> times = {};  // else: where they begin and the last one ends
  double eta = 0;                  // length of each update; 0: the time from one to the next

  double dt(int64_t step) const {
    const auto i = static_cast<size_t>(step);
    return times.empty() ? even : times[i + 1] - times[i];
  }
  double size(int64_t step) const { return eta == 0 ? dt(step) : eta; }
  // Within a step, after this part of it.
  double time(int64_t step, double part) const {
    if (times.empty()) return t0 + (static_cast<double>(step) + part) * even;
    return times[static_cast<size_t>(step)] + part * dt(step);
  }
};

class RungeKuttaCourse final : public Course {
 public:
  RungeKuttaCourse(State start, const Tableau& tableau, std::shared_ptr<const Steps> steps)
      : Course(std::move(start)), tableau_(tableau), steps_(std::move(steps)) {}

  State probe() const override { return moved(tableau_.a[slopes_.size()]); }
  double time() const override { return steps_->time(step_, tableau_.c[slopes_.size()]); }

  Move take(const Answer& answer) override {
    slopes_.push_back(-answer.gradient);
    if (slopes_.size() < tableau_.stages) return Move::stage;
    x_ = moved(tableau_.b);
    slopes_.clear();
    return ++step_ == steps_->count ? Move::arrival : Move::step;
  }

 private:
  // x + h Σ_i weight_i slope_i over the slopes known so far.
  State moved(const StageRow& weights) const {
    if (slopes_.empty()) return x_;
    State x = x_;
    const double size = steps_->size(step_);
    for (size_t i = 0; i < slopes_.size(); ++i) {
      if (weights[i] != 0) x += (size * weights[i]) * slopes_[i];
    }
    return x;
  }

  const Tableau& tableau_;
  std::shared_ptr<const Steps> steps_;
  int64_t step_ = 0;
  std::vector<State> slopes_;
};

Rule rule_over(RungeKutta method, Steps steps) {
  const Tableau& tableau = tableau_of(method);
  const auto shared = std::make_shared<const Steps>(std::move(steps));
  return {.start =
              [&tableau, shared](State start, const NoiseSource&) {
                return std::make_unique<RungeKuttaCourse>(std::move(start), tableau, shared);
              },
          .keeps_time = true};
}

void check_step_size(double eta) {
  if (std::isfinite(eta) && eta >= 0) return;
  throw Error(ErrorKind::usage, "an integrator's step size must be finite and not negative",
              "choose {eta} 0 for steps as long as the time between them");
}

}  // namespace

const Names<RungeKutta>& runge_kutta_names() {
  static const Names<RungeKutta> names = {
      {"euler", RungeKutta::euler}, {"heun", RungeKutta::heun},
      {"heun3", RungeKutta::heun3}, {"midpoint", RungeKutta::midpoint},
      {"rk4", RungeKutta::rk4},     {"rk4-classical", RungeKutta::rk4_classical}};
  return names;
}

Rule runge_kutta(RungeKutta method, int64_t steps, double t0, double t1, double eta) {
  if (steps < 1)
    throw Error(ErrorKind::usage, "an integrator needs at least one step", "raise {limit}");
  if (!std::isfinite(t0) || !std::isfinite(t1) || t0 == t1) {
    throw Error(ErrorKind::usage, "an integrator needs two different times to run between",
                "choose finite t0 and t1, such as 0 and 1");
  }
  check_step_size(eta);
  return rule_over(
      method,
      {.count = steps, .t0 = t0, .even = (t1 - t0) / static_cast<double>(steps), .eta = eta});
}

Rule runge_kutta(RungeKutta method, std::vector<double> times, double eta) {
  const bool rising = times.size() >= 2 && std::isfinite(times.front()) &&
                      std::isfinite(times.back()) &&
                      std::ranges::adjacent_find(times, std::greater_equal()) == times.end();
  if (!rising) {
    throw Error(ErrorKind::usage, "an integrator needs times that rise, two or more",
                "as 0, 0.5 and 1");
  }
  check_step_size(eta);
  const auto count = static_cast<int64_t>(times.size()) - 1;
  return rule_over(method, {.count = count, .times = std::move(times), .eta = eta});
}

}  // namespace eqm
