// The integrators: rules that follow the velocity v = -∇E over an interval of time, and end there.
// Each has a file of its own beside this one. A flow runs from noise at t = 0 to data at t = 1.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "eqm/base/names.h"
#include "eqm/descend/course.h"
#include "eqm/landscape/noise_path.h"

namespace eqm {

enum class RungeKutta {
  euler,          // order 1, 1 evaluation a step
  heun,           // order 2, 2 evaluations: the trapezoidal rule
  heun3,          // order 3, 3 evaluations
  midpoint,       // order 2, 2 evaluations
  rk4,            // order 4, 4 evaluations: the 3/8 rule, as torchdiffeq's rk4
  rk4_classical,  // order 4, 4 evaluations: the one of the textbooks
};

const Names<RungeKutta>& runge_kutta_names();

// `steps` even steps from t0 to t1, which may be the earlier one. Euler with N steps over [0, 1] is
// gradient descent with η = 1/N.
// `eta` replaces the length of each update and leaves the times that are shown where they are, as
// in the paper's comparison of step sizes; 0 is the length of the time between them.
Rule runge_kutta(RungeKutta method, int64_t steps, double t0 = 0, double t1 = 1, double eta = 0);

// Steps between given times, two or more of them, each later than the one before.
Rule runge_kutta(RungeKutta method, std::vector<double> times, double eta = 0);

// Dormand and Prince's pair of orders 5 and 4: steps as long as the error allows.
struct Dopri5 {
  double atol = 1e-6;
  double rtol = 1e-3;
  double t0 = 0, t1 = 1;          // t1 may be the earlier one
  int64_t most_attempts = 10000;  // accepted or not
};

// The error is that of the sample alone. Where the step size vanishes or the attempts run out
// before t1, the course arrives with a state that is not a number: the sample has diverged.
Rule dopri5(const Dopri5& numbers);

// The same course with what it knows besides: the state between steps, and its error control.
class Dopri5Course : public Course {
 public:
  using Course::Course;

  // The end of the last accepted step, which lies beyond t1 in the end, and the state at any time
  // of that step, by torchdiffeq's quartic: of order 4, so less exact than the steps themselves.
  virtual double reached() const = 0;
  virtual State at(double t) const = 0;

  virtual int64_t attempts() const = 0;    // accepted or rejected so far
  virtual double error_ratio() const = 0;  // of the last of them, accepted up to 1
};

std::unique_ptr<Dopri5Course> dopri5_course(State start, const Dopri5& numbers);

enum class SdeMethod { euler, heun };

enum class LastStep {
  none,
  mean,     // along the drift of the SDE, without noise
  tweedie,  // to the expected data, from the score
  euler,    // along the velocity alone
};

const Names<SdeMethod>& sde_method_names();
const Names<LastStep>& last_step_names();

// dx = (v + D s) dt + √(2D) dw, for flows along a path. The noise of step k is draw k.
struct Sde {
  NoisePath path = {};
  DiffusionForm form = DiffusionForm::sigma;
  double norm = 1;
  SdeMethod method = SdeMethod::euler;
  int64_t steps = 250;       // noisy ones, from t0 to t1
  double t0 = 0, t1 = 0.96;  // the score does not exist at 1, nor the form sbdm at 0 in most paths
  LastStep last = LastStep::mean;
  double last_step_size = 0.04;  // from t1; for mean and euler
  double eta = 0;                // length of each noisy update; 0: (t1 - t0) / steps
};
Rule sde(const Sde& numbers);

// Answers the questions of an integrator's course until it arrives; `watch` is called at every
// move.
inline void follow(Course& course, const std::function<State(const State& x, double t)>& gradient,
                   const std::function<void(Move)>& watch = {}) {
  for (Move move = Move::stage; move != Move::arrival;) {
    move = course.take({.gradient = gradient(course.probe(), course.time())});
    if (watch) watch(move);
  }
}

}  // namespace eqm
