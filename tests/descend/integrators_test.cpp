#include "eqm/descend/integrators/integrators.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/base/noise.h"
#include "eqm/descend/integrators/shared_control.h"
#include "eqm/descend/integrators/time_grid.h"
#include "eqm/descend/rules/rules.h"
#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

using Gradient = std::function<State(const State& x, double t)>;

State end_of(const Rule& rule, const State& start, const Gradient& gradient,
             const NoiseSource& noise = {}) {
  const std::unique_ptr<Course> course = rule.start(start, noise);
  follow(*course, gradient);
  return course->x();
}

double largest_difference(const State& x, const State& y) {
  return std::abs(x - y).max();
}

bool same(const State& x, const State& y) {
  return std::ranges::equal(x, y);
}

// x' = x cos t and y' = -y²; from (1, 1) they are exp(sin t) and 1/(1 + t).
State known_gradient(const State& x, double t) {
  return {-x[0] * std::cos(t), x[1] * x[1]};
}

State known_solution(double t) {
  return {std::exp(std::sin(t)), 1 / (1 + t)};
}

// Faster where x is large, so that samples differ in the steps they need.
State cubic(const State& x) {
  return x * x * x;
}

TEST(TimeGrid, of_edm_begins_near_noise_ends_at_data_and_is_short_at_both_ends) {
  for (const int64_t steps : {1, 2, 50}) {
    const std::vector<double> times = edm_times(steps);
    ASSERT_EQ(times.size(), static_cast<size_t>(steps) + 1);
    EXPECT_NEAR(times.front(), 1. / 81, 1e-12);
    EXPECT_EQ(times.back(), 1);
    EXPECT_TRUE(std::ranges::is_sorted(times));
  }
  const std::vector<double> times = edm_times(50);
  EXPECT_NEAR(times[49], 1 / 1.002, 1e-12) << "the least noise level";
  EXPECT_LT(times[1] - times[0], 0.01);
  EXPECT_LT(times[50] - times[49], 0.01);
  EXPECT_GT(times[26] - times[25], 0.02);
}

TEST(RungeKutta, follows_times_that_are_not_even) {
  const std::vector<double> even = {0, 0.5, 1, 1.5, 2}, uneven = {0, 0.1, 0.3, 1.2, 2};
  const State reference = end_of(runge_kutta(RungeKutta::rk4, 4, 0, 2), {1, 1}, known_gradient);
  EXPECT_LT(largest_difference(end_of(runge_kutta(RungeKutta::rk4, even), {1, 1}, known_gradient),
                               reference),
            1e-14);
  const State other = end_of(runge_kutta(RungeKutta::rk4, uneven), {1, 1}, known_gradient);
  EXPECT_FALSE(same(other, reference));
  EXPECT_LT(largest_difference(other, known_solution(2)), 0.01);
  std::vector<double> asked;
  const auto course = runge_kutta(RungeKutta::heun, uneven).start({1, 1}, {});
  follow(*course, [&](const State& x, double t) {
    asked.push_back(t);
    return known_gradient(x, t);
  });
  const std::vector<double> expected = {0, 0.1, 0.1, 0.3, 0.3, 1.2, 1.2, 2};
  ASSERT_EQ(asked.size(), expected.size());
  for (size_t i = 0; i < asked.size(); ++i) EXPECT_NEAR(asked[i], expected[i], 1e-12);
  for (const std::vector<double>& times :
       {std::vector<double>{}, std::vector<double>{0}, std::vector<double>{0, 0.5, 0.5},
        std::vector<double>{1, 0}}) {
    expect_error(ErrorKind::usage, "times that rise",
                 [&] { runge_kutta(RungeKutta::euler, times); });
  }
}

TEST(RungeKutta, halving_the_step_shrinks_the_error_by_the_order_of_the_method) {
  const Names<RungeKutta>& names = runge_kutta_names();
  const double orders[] = {1, 2, 3, 2, 4, 4};
  ASSERT_EQ(std::size(orders), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const auto error = [&](int64_t steps) {
      return largest_difference(
          end_of(runge_kutta(names[i].second, steps, 0, 2), {1, 1}, known_gradient),
          known_solution(2));
    };
    EXPECT_NEAR(std::log2(error(64) / error(128)), orders[i], 0.2) << names[i].first;
  }
}

TEST(RungeKutta, asks_at_the_times_of_its_stages) {
  const auto times = [](RungeKutta method) {
    std::vector<double> asked;
    end_of(runge_kutta(method, 2, 0, 6), {1}, [&](const State& x, double t) {
      asked.push_back(t);
      return x;
    });
    return asked;
  };
  EXPECT_EQ(times(RungeKutta::euler), (std::vector<double>{0, 3}));
  EXPECT_EQ(times(RungeKutta::heun), (std::vector<double>{0, 3, 3, 6}));
  EXPECT_EQ(times(RungeKutta::midpoint), (std::vector<double>{0, 1.5, 3, 4.5}));
  EXPECT_EQ(times(RungeKutta::heun3), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(times(RungeKutta::rk4), (std::vector<double>{0, 1, 2, 3, 3, 4, 5, 6}));
  EXPECT_EQ(times(RungeKutta::rk4_classical),
            (std::vector<double>{0, 1.5, 1.5, 3, 3, 4.5, 4.5, 6}));
}

TEST(RungeKutta, moves_in_stages_and_steps_and_stands_still_between) {
  const auto course = runge_kutta(RungeKutta::heun3, 2).start({1, 2}, {});
  std::vector<Move> moves;
  State last = course->x();
  follow(
      *course, [](const State& x, double) { return x; },
      [&](Move move) {
        moves.push_back(move);
        EXPECT_EQ(same(course->x(), last), move == Move::stage);
        last = course->x();
      });
  EXPECT_EQ(moves, (std::vector<Move>{Move::stage, Move::stage, Move::step, Move::stage,
                                      Move::stage, Move::arrival}));
}

TEST(RungeKutta, euler_with_n_steps_is_gradient_descent_with_one_nth) {
  constexpr int64_t kSteps = 7;
  const State start = {0.9, -1.3, 0.2};
  const auto descent = gradient_descent(1.0 / kSteps).start(start, {});
  for (int64_t k = 0; k < kSteps; ++k) descent->take({.gradient = cubic(descent->probe())});
  const State end = end_of(runge_kutta(RungeKutta::euler, kSteps), start,
                           [](const State& x, double) { return cubic(x); });
  EXPECT_TRUE(same(end, descent->x()));
}

TEST(Integrators, run_back_from_the_end_to_the_start) {
  const State start = {1, 1};
  for (const auto& [there, back] :
       {std::pair{runge_kutta(RungeKutta::rk4, 200, 0, 2), runge_kutta(RungeKutta::rk4, 200, 2, 0)},
        {dopri5({.atol = 1e-10, .rtol = 1e-9, .t1 = 2}),
         dopri5({.atol = 1e-10, .rtol = 1e-9, .t0 = 2, .t1 = 0})}}) {
    const State end = end_of(there, start, known_gradient);
    EXPECT_LE(largest_difference(end, known_solution(2)), 1e-7);
    std::vector<double> times;
    const State again = end_of(back, end, [&](const State& x, double t) {
      times.push_back(t);
      return known_gradient(x, t);
    });
    EXPECT_LE(largest_difference(again, start), 1e-7);
    EXPECT_EQ(times.front(), 2);
    EXPECT_LT(times.back(), 0.1);
  }
}

TEST(Integrators, refuse_an_empty_interval_and_no_steps) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_error(ErrorKind::usage, "one step", [] { runge_kutta(RungeKutta::euler, 0); });
  expect_error(ErrorKind::usage, "one step", [] { sde({.steps = 0}); });
  expect_error(ErrorKind::usage, "two different times",
               [] { runge_kutta(RungeKutta::rk4, 5, 1, 1); });
  expect_error(ErrorKind::usage, "two different times", [] { dopri5({.t0 = 0.5, .t1 = 0.5}); });
  expect_error(ErrorKind::usage, "two different times", [&] { dopri5({.t1 = kInfinity}); });
  expect_error(ErrorKind::usage, "atol", [] { dopri5({.atol = 0}); });
  expect_error(ErrorKind::usage, "attempt", [] { dopri5({.most_attempts = 0}); });
  expect_error(ErrorKind::usage, "attempt", [] { dopri5_course({1}, {.most_attempts = 0}); });
}

TEST(Dopri5, keeps_the_error_of_steps_near_the_tolerance_and_between_them_not_far_from_it) {
  for (const double rtol : {1e-3, 1e-5, 1e-7, 1e-9}) {
    const auto course = dopri5_course({1, 1}, {.atol = rtol * 1e-3, .rtol = rtol, .t1 = 2});
    double before = 0;
    follow(*course, known_gradient, [&](Move move) {
      if (move == Move::stage) return;
      const double after = course->reached();
      if (move == Move::step) {
        EXPECT_LE(largest_difference(course->x(), known_solution(after)), 10 * rtol) << after;
      }
      // The quartic is of a lower order than the steps; measured: 16 rtol.
      for (const double part : {0.1, 0.5, 0.8}) {
        const double t = before + part * (after - before);
        EXPECT_LE(largest_difference(course->at(t), known_solution(t)), 30 * rtol) << t;
      }
      before = after;
    });
    EXPECT_LE(largest_difference(course->x(), known_solution(2)), 30 * rtol);
  }
}

TEST(Dopri5, the_state_between_steps_meets_both_their_ends) {
  const auto course = dopri5_course({1, 1}, {.t1 = 2});
  double before = 0;
  State left = course->x();
  EXPECT_TRUE(same(course->at(0), left));
  follow(*course, known_gradient, [&](Move move) {
    if (move == Move::stage) return;
    EXPECT_LE(largest_difference(course->at(before), left), 1e-13);
    if (move == Move::step) {
      EXPECT_LE(largest_difference(course->at(course->reached()), course->x()), 1e-13);
    }
    before = course->reached();
    left = course->x();
  });
  EXPECT_GT(course->reached(), 2);
  EXPECT_TRUE(same(course->x(), course->at(2)));
}

TEST(Dopri5, rejected_attempts_are_stages_and_move_nothing) {
  // A slope that jumps: long steps run into it and are taken back.
  const auto course = dopri5_course({1}, {});
  int64_t evaluations = 0, steps = 0, rejected = 0, settled = 0;
  State last = course->x(), asked;
  follow(
      *course,
      [&](const State& x, double t) {
        ++evaluations;
        asked = x;
        return t > 0.6 ? State(50.0 * x) : State(0.1 * x);
      },
      [&](Move move) {
        if (move == Move::stage) {
          EXPECT_TRUE(same(course->x(), last));
          if (course->attempts() > settled) {
            ++rejected;
            EXPECT_GT(course->error_ratio(), 1);
          }
        } else {
          ++steps;
          EXPECT_LE(course->error_ratio(), 1);
          // The last answer of a step is the first slope of the next: it was taken at the new x.
          EXPECT_EQ(course->knows_slope(), move == Move::step);
          EXPECT_EQ(same(course->x(), asked), move == Move::step);
        }
        settled = course->attempts();
        last = course->x();
      });
  EXPECT_GT(rejected, 0);
  EXPECT_EQ(course->attempts(), steps + rejected);
  EXPECT_EQ(evaluations, 2 + 6 * course->attempts());
}

TEST(Dopri5, arrives_without_a_number_where_it_cannot_go_on) {
  // x' = x² has no solution beyond t = 1.
  const auto blows_up = [](const State& x, double) { return State(-x * x); };
  EXPECT_FALSE(is_finite(end_of(dopri5({.t1 = 2}), {1}, blows_up)));
  EXPECT_TRUE(is_finite(end_of(dopri5({.t1 = 0.9}), {1}, blows_up)));

  const auto nowhere = [](const State& x, double) {
    return State(std::numeric_limits<double>::quiet_NaN(), x.size());
  };
  EXPECT_FALSE(is_finite(end_of(dopri5({}), {1, 2}, nowhere)));

  const auto course = dopri5_course({1, 1}, {.rtol = 1e-8, .t1 = 2, .most_attempts = 3});
  follow(*course, known_gradient);
  EXPECT_EQ(course->attempts(), 3);
  EXPECT_FALSE(is_finite(course->x()));
}

TEST(Dopri5, a_sample_does_not_depend_on_its_neighbours_unless_the_control_is_shared) {
  const Rule rule = dopri5({});
  const State mild = {0.5, -0.4}, stiff = {30, -25};
  const auto gradient = [](const State& x, double) { return cubic(x); };
  const State alone = end_of(rule, mild, gradient);

  // Side by side, answered in turn as in a batch.
  std::vector<std::unique_ptr<Course>> courses;
  courses.push_back(rule.start(mild, {}));
  courses.push_back(rule.start(stiff, {}));
  std::vector<int64_t> evaluations(2, 0);
  std::vector<bool> arrived(2, false);
  while (!arrived[0] || !arrived[1]) {
    for (size_t i = 0; i < 2; ++i) {
      if (arrived[i]) continue;
      ++evaluations[i];
      arrived[i] = courses[i]->take({.gradient = cubic(courses[i]->probe())}) == Move::arrival;
    }
  }
  EXPECT_TRUE(same(courses[0]->x(), alone));
  EXPECT_LT(2 * evaluations[0], evaluations[1]);

  const auto shared = [&](const std::vector<State>& starts) {
    return integrate_shared(rule, starts, [](const std::vector<State>& rows, double) {
      std::vector<State> gradients;
      for (const State& row : rows) gradients.push_back(cubic(row));
      return gradients;
    });
  };
  EXPECT_TRUE(same(shared({mild}).at(0), alone));
  EXPECT_FALSE(same(shared({mild, stiff}).at(0), alone));
  EXPECT_LE(largest_difference(shared({mild, stiff}).at(0), alone), 1e-3);
}

TEST(SharedControl, on_a_fixed_grid_is_every_row_by_itself) {
  const std::vector<State> starts = {{1, 1}, {0.5, 2}, {-3, 0.1}};
  const Rule rule = runge_kutta(RungeKutta::rk4, 9);
  const std::vector<State> ends =
      integrate_shared(rule, starts, [](const std::vector<State>& rows, double t) {
        std::vector<State> gradients;
        for (const State& row : rows) gradients.push_back(known_gradient(row, t));
        return gradients;
      });
  ASSERT_EQ(ends.size(), starts.size());
  for (size_t i = 0; i < starts.size(); ++i) {
    EXPECT_TRUE(same(ends[i], end_of(rule, starts[i], known_gradient))) << i;
  }
}

TEST(SharedControl, refuses_rules_without_an_end_and_rows_that_do_not_fit) {
  const RowGradients as_is = [](const std::vector<State>& rows, double) { return rows; };
  expect_error(ErrorKind::usage, "integrator",
               [&] { integrate_shared(gradient_descent(0.1), {{1}}, as_is); });
  expect_error(ErrorKind::usage, "one size", [&] {
    integrate_shared(dopri5({}), {{1, 2}, {1}}, as_is);
  });
  expect_error(ErrorKind::usage, "split", [] { split({1, 2, 3}, 2); });
  EXPECT_TRUE(integrate_shared(dopri5({}), {}, as_is).empty());
}

NoiseSource normal_noise(uint64_t seed) {
  return [seed](int64_t draw, State& out) {
    fill_normal(NoiseKey{.seed = seed, .draw = static_cast<uint32_t>(draw)},
                std::span<double>(&out[0], out.size()));
  };
}

TEST(Sde, uses_the_noise_of_each_step_once) {
  for (const auto& [method_name, method] : sde_method_names()) {
    for (const auto& [last_name, last] : last_step_names()) {
      std::vector<int64_t> draws;
      int64_t evaluations = 0;
      const NoiseSource noise = [&](int64_t draw, State& out) {
        draws.push_back(draw);
        out = 0.1;
      };
      end_of(
          sde({.method = method, .steps = 4, .last = last}), {1, 2},
          [&](const State& x, double) {
            ++evaluations;
            return x;
          },
          noise);
      EXPECT_EQ(draws, (std::vector<int64_t>{0, 1, 2, 3})) << method_name << " " << last_name;
      const int64_t per_step = method == SdeMethod::heun ? 2 : 1;
      EXPECT_EQ(evaluations, 4 * per_step + (last == LastStep::none ? 0 : 1))
          << method_name << " " << last_name;
    }
  }
}

TEST(Sde, without_diffusion_is_the_ode) {
  const NoiseSource noise = normal_noise(1);
  for (const auto& [method, twin] :
       {std::pair{SdeMethod::euler, RungeKutta::euler}, {SdeMethod::heun, RungeKutta::heun}}) {
    const Sde numbers = {.norm = 0, .method = method, .steps = 12, .t1 = 0.9};
    const State there = end_of(runge_kutta(twin, 12, 0, 0.9), {1, 1}, known_gradient);
    for (const LastStep last : {LastStep::none, LastStep::mean, LastStep::euler}) {
      Sde with_last = numbers;
      with_last.last = last;
      State expected = there;
      if (last != LastStep::none) expected -= 0.04 * known_gradient(there, 0.9);
      EXPECT_LE(largest_difference(end_of(sde(with_last), {1, 1}, known_gradient, noise), expected),
                1e-13);
    }
  }
}

TEST(Sde, keeps_the_variance_of_a_gaussian_whatever_the_diffusion) {
  // Data of variance s²: x_t has variance α²s² + σ², and the expected velocity at x is x times half
  // its logarithmic derivative.
  constexpr double kSpread = 0.5;
  constexpr size_t kSamples = 4000;  // the coordinates; their variance is known to 2 %
  for (const auto& [path_name, kind] : path_names()) {
    for (const auto& [form_name, form] : diffusion_names()) {
      for (const auto& [method_name, method] : sde_method_names()) {
        const NoisePath path = {.kind = kind};
        const auto variance = [&](double t) {
          return std::pow(path.alpha(t) * kSpread, 2) + std::pow(path.sigma(t), 2);
        };
        const Gradient gradient = [&](const State& x, double t) {
          const double slope =
              path.alpha(t) * path.d_alpha(t) * kSpread * kSpread + path.sigma(t) * path.d_sigma(t);
          return State(-slope / variance(t) * x);
        };
        const double t0 = form == DiffusionForm::sbdm ? 0.05 : 0;
        State start(kSamples);
        normal_noise(7)(0, start);
        start *= std::sqrt(variance(t0));
        const Sde numbers = {.path = path,
                             .form = form,
                             .method = method,
                             .steps = 150,
                             .t0 = t0,
                             .t1 = 0.96,
                             .last = LastStep::none};
        const State end = end_of(sde(numbers), start, gradient, normal_noise(8));
        EXPECT_NEAR(dot(end, end) / kSamples / variance(0.96), 1, 0.1)
            << path_name << " " << form_name << " " << method_name;
      }
    }
  }
}

TEST(Sde, tweedie_ends_at_the_only_data_point) {
  // One data point: the velocity is that of the straight line to it, wherever x is.
  const State data = {2, -1};
  for (const auto& [name, kind] : path_names()) {
    const NoisePath path = {.kind = kind};
    const Gradient gradient = [&](const State& x, double t) {
      const State noise = (x - path.alpha(t) * data) / path.sigma(t);
      return State(-path.velocity(data, noise, t));
    };
    const Sde numbers = {.path = path, .steps = 20, .last = LastStep::tweedie};
    EXPECT_LE(largest_difference(end_of(sde(numbers), {0.3, 0.4}, gradient, normal_noise(3)), data),
              1e-12)
        << name;
  }
}

TEST(Sde, refuses_what_would_divide_by_zero_or_make_no_sense) {
  expect_error(ErrorKind::usage, "t0 < t1", [] { sde({.t0 = 0.96, .t1 = 0}); });
  expect_error(ErrorKind::usage, "t0 < t1", [] { sde({.t0 = 0.5, .t1 = 0.5}); });
  expect_error(ErrorKind::usage, "t0 < t1", [] { sde({.t1 = 1.01}); });
  expect_error(ErrorKind::usage, "up to t1 = 1", [] { sde({.t1 = 1}); });
  expect_error(ErrorKind::usage, "up to t1 = 1",
               [] { sde({.method = SdeMethod::heun, .t1 = 1, .last = LastStep::none}); });
  EXPECT_NO_THROW(sde({.t1 = 1, .last = LastStep::none}));
  expect_error(ErrorKind::usage, "'sbdm' is infinite", [] { sde({.form = DiffusionForm::sbdm}); });
  EXPECT_NO_THROW(sde({.path = {.kind = PathKind::vp}, .form = DiffusionForm::sbdm}));
  expect_error(ErrorKind::usage, "negative", [] { sde({.norm = -1}); });
  expect_error(ErrorKind::usage, "source of noise", [] { sde({}).start({1}, {}); });
  expect_error(ErrorKind::usage, "noise rates",
               [] { sde({.path = {.kind = PathKind::vp, .beta_min = 0}}); });
}

}  // namespace
}  // namespace eqm::test
