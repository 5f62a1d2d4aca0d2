#include <array>
#include <cmath>
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

class RungeKuttaCourse final : public Course {
 public:
  RungeKuttaCourse(State start, const Tableau& tableau, int64_t steps, double t0, double t1)
      : Course(std::move(start)),
        tableau_(tableau),
        steps_(steps),
        t0_(t0),
        size_((t1 - t0) / static_cast<double>(steps)) {}

  State probe() const override { return moved(tableau_.a[slopes_.size()]); }
  double time() const override {
    return t0_ + (static_cast<double>(step_) + tableau_.c[slopes_.size()]) * size_;
  }

  Move take(const Answer& answer) override {
    slopes_.push_back(-answer.gradient);
    if (slopes_.size() < tableau_.stages) return Move::stage;
    x_ = moved(tableau_.b);
    slopes_.clear();
    return ++step_ == steps_ ? Move::arrival : Move::step;
  }

 private:
  // x + h Σ_i weight_i slope_i over the slopes known so far.
  State moved(const StageRow& weights) const {
    State x = x_;
    for (size_t i = 0; i < slopes_.size(); ++i) {
      if (weights[i] != 0) x += (size_ * weights[i]) * slopes_[i];
    }
    return x;
  }

  const Tableau& tableau_;
  int64_t steps_;
  double t0_, size_;
  int64_t step_ = 0;
  std::vector<State> slopes_;
};

}  // namespace

const Names<RungeKutta>& runge_kutta_names() {
  static const Names<RungeKutta> names = {
      {"euler", RungeKutta::euler}, {"heun", RungeKutta::heun},
      {"heun3", RungeKutta::heun3}, {"midpoint", RungeKutta::midpoint},
      {"rk4", RungeKutta::rk4},     {"rk4-classical", RungeKutta::rk4_classical}};
  return names;
}

Rule runge_kutta(RungeKutta method, int64_t steps, double t0, double t1) {
  if (steps < 1)
    throw Error(ErrorKind::usage, "an integrator needs at least one step", "raise {limit}");
  if (!std::isfinite(t0) || !std::isfinite(t1) || t0 == t1) {
    throw Error(ErrorKind::usage, "an integrator needs two different times to run between",
                "choose finite t0 and t1, such as 0 and 1");
  }
  const Tableau& tableau = tableau_of(method);
  return {.start =
              [&tableau, steps, t0, t1](State start, const NoiseSource&) {
                return std::make_unique<RungeKuttaCourse>(std::move(start), tableau, steps, t0, t1);
              },
          .keeps_time = true};
}

}  // namespace eqm
