#include "eqm/descend/rules/rules.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "eqm/base/noise.h"
#include "eqm/landscape/magnitude.h"

namespace eqm::test {
namespace {

using Slope = std::function<State(const State&)>;

const NoiseSource kNoNoise = [](int64_t, State&) { FAIL() << "this rule has no use for noise"; };

State normal_state(uint64_t seed, size_t size) {
  State x(size);
  fill_normal({.seed = seed}, std::span<double>(&x[0], size));
  return x;
}

// The states before each of `steps` steps and after the last. One answer is one step here.
std::vector<State> path(const Rule& rule, const State& start, int steps, const Slope& gradient,
                        const NoiseSource& noise = kNoNoise) {
  const auto course = rule.start(start, noise);
  std::vector<State> states = {course->x()};
  for (int k = 0; k < steps; ++k) {
    course->take({.gradient = gradient(course->probe())});
    states.push_back(course->x());
  }
  return states;
}

double apart(const State& x, const State& y) {
  return norm(x - y);
}

State bumpy(const State& p) {
  return std::sin(p) + 0.3 * p;
}

TEST(GradientDescent, follows_the_closed_form_on_a_quadratic) {
  // E = ½ Σ a_j x_j²: x_k = (1 - η a)^k x_0
  const State a = {0.1, 1.0, 3.0, 7.5};
  const State start = normal_state(1, 4);
  const double eta = 0.2;
  const auto states = path(gradient_descent(eta), start, 17, [&](const State& p) { return a * p; });
  for (const int k : {0, 1, 2, 17}) {
    const State expected = std::pow(State(1.0 - eta * a), k) * start;
    EXPECT_LT(apart(states[static_cast<size_t>(k)], expected), 1e-13) << k;
  }
}

TEST(Nesterov, without_look_ahead_is_gradient_descent) {
  const State start = normal_state(2, 6);
  const State plain = path(gradient_descent(0.1), start, 12, bumpy).back();
  EXPECT_EQ(apart(path(nesterov_look_ahead(0.1, 0), start, 12, bumpy).back(), plain), 0);
  EXPECT_EQ(apart(path(nesterov_velocity(0.1, 0), start, 12, bumpy).back(), plain), 0);
  EXPECT_EQ(apart(path(heavy_ball(0.1, 0), start, 12, bumpy).back(), plain), 0);
}

TEST(Nesterov, look_ahead_is_the_formula_of_the_paper_unrolled) {
  // x_{k+1} = x_k - η ∇E(x_k + μ (x_k - x_{k-1})), x_{-1} = x_0; one coordinate in plain doubles.
  const double eta = 0.13, mu = 0.35;
  const auto slope = [](double p) { return std::sin(2 * p) + 0.5 * p * p; };
  const double x0 = 0.9;
  const double x1 = x0 - eta * slope(x0);
  const double x2 = x1 - eta * slope(x1 + mu * (x1 - x0));
  const double x3 = x2 - eta * slope(x2 + mu * (x2 - x1));
  const auto states = path(nesterov_look_ahead(eta, mu), {x0}, 3,
                           [&](const State& p) { return State{slope(p[0])}; });
  const double by_hand[] = {x0, x1, x2, x3};
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(states[k][0], by_hand[k], 1e-15) << k;
}

TEST(Nesterov, look_ahead_contracts_a_quadratic_at_the_rate_of_its_recurrence) {
  // On E = ½ a x²: x_{k+1} = (1 - ηa(1+μ)) x_k + ηaμ x_{k-1}
  const double eta = 0.05, mu = 0.6, a = 3;
  double before = 1, now = 1;
  for (int k = 0; k < 40; ++k) {
    const double next = (1 - eta * a * (1 + mu)) * now + eta * a * mu * before;
    before = now;
    now = next;
  }
  const State x = path(nesterov_look_ahead(eta, mu), {1.0}, 40, [&](const State& p) {
                    return State(a * p);
                  }).back();
  EXPECT_NEAR(x[0], now, 1e-13);
}

TEST(Nesterov, velocity_is_the_classical_method_unrolled) {
  const double eta = 0.1, mu = 0.8;
  double x = 0.7, v = 0;
  for (int k = 0; k < 5; ++k) {
    v = mu * v - eta * std::sin(x + mu * v);
    x += v;
  }
  const auto slope = [](const State& p) { return State(std::sin(p)); };
  EXPECT_NEAR(path(nesterov_velocity(eta, mu), {0.7}, 5, slope).back()[0], x, 1e-15);
}

TEST(HeavyBall, contracts_a_quadratic_at_the_rate_of_its_recurrence) {
  // x_{k+1} = (1 + μ - ηa) x_k - μ x_{k-1}
  const double eta = 0.05, mu = 0.6, a = 3;
  double before = 1, now = 1 - eta * a;
  for (int k = 1; k < 30; ++k) {
    const double next = (1 + mu - eta * a) * now - mu * before;
    before = now;
    now = next;
  }
  const State x =
      path(heavy_ball(eta, mu), {1.0}, 30, [&](const State& p) { return State(a * p); }).back();
  EXPECT_NEAR(x[0], now, 1e-13);
}

TEST(Adam, moves_every_coordinate_by_eta_at_first_whatever_its_slope) {
  const State start = {1, 1, 1};
  const State slope = {1e-3, -5, 700};
  const State x =
      path(adam(0.01, 0.9, 0.999), start, 1, [&](const State&) { return slope; }).back();
  EXPECT_NEAR(x[0], 0.99, 1e-6);
  EXPECT_NEAR(x[1], 1.01, 1e-9);
  EXPECT_NEAR(x[2], 0.99, 1e-9);
}

TEST(Adam, is_the_textbook_formula) {
  const double eta = 0.05, b1 = 0.8, b2 = 0.95;
  double x = 2, m = 0, v = 0;
  for (int k = 1; k <= 9; ++k) {
    const double g = x * x - 1;
    m = b1 * m + (1 - b1) * g;
    v = b2 * v + (1 - b2) * g * g;
    x -= eta * (m / (1 - std::pow(b1, k))) / (std::sqrt(v / (1 - std::pow(b2, k))) + 1e-8);
  }
  const auto slope = [](const State& p) { return State(p * p - 1.0); };
  EXPECT_NEAR(path(adam(eta, b1, b2), {2.0}, 9, slope).back()[0], x, 1e-12);
}

TEST(RmsProp, is_the_textbook_formula) {
  const double eta = 0.05, beta = 0.9;
  double x = 2, v = 0;
  for (int k = 1; k <= 9; ++k) {
    const double g = x * x - 1;
    v = beta * v + (1 - beta) * g * g;
    x -= eta * g / (std::sqrt(v) + 1e-8);
  }
  const auto slope = [](const State& p) { return State(p * p - 1.0); };
  EXPECT_NEAR(path(rmsprop(eta, beta), {2.0}, 9, slope).back()[0], x, 1e-12);
}

TEST(BarzilaiBorwein, finds_the_curvature_of_a_parabola_in_two_steps) {
  // Along one direction s·s / s·y is exactly 1/a, so that the second step ends at the bottom.
  const double a = 7;
  const auto slope = [&](const State& p) { return State(a * p); };
  EXPECT_NEAR(norm(path(barzilai_borwein(0.01, 1000), {3.0, 4.0}, 2, slope).back()), 0, 1e-12);
}

TEST(BarzilaiBorwein, beats_gradient_descent_on_a_narrow_valley) {
  const State a = {1, 10, 100};
  const auto slope = [&](const State& p) { return State(a * p); };
  const State start = {1, 1, 1};
  const double plain = norm(path(gradient_descent(0.01), start, 60, slope).back());
  EXPECT_LT(norm(path(barzilai_borwein(0.01, 1000), start, 60, slope).back()), 1e-3 * plain);
}

TEST(BarzilaiBorwein, keeps_its_step_in_bounds_where_the_landscape_bends_down) {
  const auto slope = [](const State& p) { return State(-1.0 * p); };  // no bottom
  const auto states = path(barzilai_borwein(0.1, 5), {1.0}, 4, slope);
  for (size_t k = 1; k < states.size(); ++k) {
    EXPECT_NEAR(states[k][0], states[k - 1][0] * 1.1, 1e-12);
  }
}

TEST(Langevin, at_temperature_0_is_gradient_descent) {
  const State start = normal_state(3, 4);
  const NoiseSource noise = [](int64_t, State& out) { out = 1.0; };
  EXPECT_EQ(apart(path(langevin(0.1, 0), start, 7, bumpy, noise).back(),
                  path(gradient_descent(0.1), start, 7, bumpy).back()),
            0);
}

TEST(Langevin, settles_at_the_temperature_it_is_given) {
  // On E = ½ x² the variance settles at T / (1 - η/2).
  const double eta = 0.1, temperature = 0.3;
  const size_t size = 20000;
  const NoiseSource noise = [](int64_t draw, State& out) {
    fill_normal({.seed = 4, .draw = static_cast<uint32_t>(draw)},
                std::span<double>(&out[0], out.size()));
  };
  const State x = path(
                      langevin(eta, temperature), State(0.0, size), 120,
                      [](const State& p) { return p; }, noise)
                      .back();
  const double variance = dot(x, x) / static_cast<double>(size);
  EXPECT_NEAR(variance, temperature / (1 - eta / 2), 0.01);
}

TEST(Langevin, draws_once_per_step) {
  std::vector<int64_t> draws;
  const NoiseSource noise = [&](int64_t draw, State& out) {
    draws.push_back(draw);
    out = 0.0;
  };
  path(langevin(0.1, 1), {1.0}, 3, bumpy, noise);
  EXPECT_EQ(draws, (std::vector<int64_t>{0, 1, 2}));
}

// E = ½ a x² answered with its energy.
Answer parabola(const State& p, double a) {
  return {.gradient = State(a * p), .energy = 0.5 * a * dot(p, p)};
}

TEST(Backtracking, finds_a_step_that_descends_however_large_the_first_is) {
  for (const double eta : {1e-6, 0.1, 1.0, 1e6}) {
    const auto course = backtracking(eta).start({3.0, -2.0}, kNoNoise);
    double energy = parabola(course->x(), 5).energy;
    int steps = 0;
    for (int k = 0; k < 200 && energy > 1e-12; ++k) {
      const State before = course->x();
      if (course->take(parabola(course->probe(), 5)) == Move::stage) {
        EXPECT_EQ(apart(course->x(), before), 0);
        continue;
      }
      ++steps;
      const double now = parabola(course->x(), 5).energy;
      EXPECT_LT(now, energy);
      energy = now;
    }
    EXPECT_LE(energy, 1e-12) << eta;
    EXPECT_GT(steps, 0);
  }
}

TEST(Backtracking, rests_where_nothing_can_be_gained) {
  const auto course = backtracking(1.0).start({1.0}, kNoNoise);
  Move move = Move::stage;
  int asked = 0;
  while (move != Move::rest && asked < 1000) {
    // A gradient that lies: the energy rises wherever one goes.
    move = course->take({.gradient = State{1.0}, .energy = static_cast<double>(asked++)});
  }
  EXPECT_EQ(move, Move::rest);
  EXPECT_EQ(course->x()[0], 1.0);
  EXPECT_TRUE(backtracking(1.0).needs_energy);
}

// A single data point, so that the field on the way is known: (ε - x₀) c(γ) with x = γ x₀ + (1-γ)
// ε.
struct OnePoint {
  Magnitude magnitude;
  State data, noise;

  double gamma(const State& x) const { return 1 - norm(x - data) / norm(noise - data); }
  State gradient(const State& x) const {
    const State way = (noise - data) * magnitude(std::clamp(gamma(x), 0.0, 1.0));
    // Beyond the point the way back is the way forth.
    return dot(x - data, noise - data) < 0 ? State(-way) : way;
  }
};

TEST(WalkAndLand, ends_on_the_data_point_of_every_landscape) {
  for (const Magnitude& magnitude :
       {Magnitude{}, Magnitude{.kind = MagnitudeKind::truncated, .a = 0.5, .lambda = 1},
        Magnitude{.kind = MagnitudeKind::linear, .lambda = 3},
        Magnitude{.kind = MagnitudeKind::piecewise, .a = 0.7, .b = 1.4, .lambda = 2},
        Magnitude{.kind = MagnitudeKind::piecewise, .a = 0.8, .b = 0.8, .lambda = 4}}) {
    const OnePoint way = {.magnitude = magnitude, .data = {1, 2, -1}, .noise = {0.3, -2, 0.5}};
    const auto course =
        walk_and_land({.magnitude = magnitude, .walk = 6, .land = 2}).start(way.noise, kNoNoise);
    int asked = 1;
    while (course->take({.gradient = way.gradient(course->probe())}) != Move::arrival) ++asked;
    EXPECT_EQ(asked, 8);
    EXPECT_LT(apart(course->x(), way.data), 1e-9) << name_in(magnitude_names(), magnitude.kind);
  }
}

TEST(WalkAndLand, does_not_mind_how_many_landscapes_are_added_up) {
  const OnePoint way = {.magnitude = {}, .data = {1, 2, -1}, .noise = {0.3, -2, 0.5}};
  const auto course = walk_and_land({.walk = 6, .land = 2}).start(way.noise, kNoNoise);
  const auto ask = [&] { return State(3.0 * way.gradient(course->probe())); };
  while (course->take({.gradient = ask(), .weight = 3}) != Move::arrival) {
  }
  EXPECT_LT(apart(course->x(), way.data), 1e-9);
}

TEST(WalkAndLand, stays_finite_where_the_landscape_begins_flat) {
  const Magnitude flat = {.kind = MagnitudeKind::piecewise, .a = 0.8, .b = 0, .lambda = 4};
  const OnePoint way = {.magnitude = flat, .data = {1, 2, -1}, .noise = {0.3, -2, 0.5}};
  const auto course = walk_and_land({.magnitude = flat}).start(way.noise, kNoNoise);
  while (course->take({.gradient = way.gradient(course->probe())}) != Move::arrival) {
  }
  EXPECT_TRUE(is_finite(course->x()));
}

TEST(WalkAndLand, counts_the_way_for_models_that_are_shown_it) {
  const auto course = walk_and_land({.walk = 4, .land = 1}).start({1.0}, kNoNoise);
  std::vector<double> times;
  do {
    times.push_back(course->time());
  } while (course->take({.gradient = {4.0}}) != Move::arrival);
  EXPECT_EQ(times.size(), 5U);
  for (size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(times[k], 0.2 * static_cast<double>(k), 1e-12);
  }
}

TEST(WalkAndLand, lands_at_once_from_a_start_near_the_data) {
  const OnePoint way = {.magnitude = {}, .data = {1, 2, -1}, .noise = {0.3, -2, 0.5}};
  const State near = 0.95 * way.data + 0.05 * way.noise;
  const auto course = walk_and_land({.magnitude = {}, .walk = 10, .land = 3}).start(near, kNoNoise);
  int asked = 1;
  while (course->take({.gradient = way.gradient(course->probe())}) != Move::arrival) ++asked;
  EXPECT_LT(asked, 10);
  EXPECT_LT(apart(course->x(), way.data), 0.05 * apart(near, way.data));
}

TEST(Rules, probe_does_not_move_the_state) {
  for (const Rule& rule : {gradient_descent(0.1), nesterov_look_ahead(0.1, 0.5),
                           nesterov_velocity(0.1, 0.5), heavy_ball(0.1, 0.5), adam(0.1, 0.9, 0.99),
                           rmsprop(0.1, 0.9), barzilai_borwein(0.1, 10), walk_and_land({})}) {
    const auto course = rule.start(normal_state(3, 5), kNoNoise);
    EXPECT_EQ(apart(course->probe(), course->x()), 0);
    course->take({.gradient = State(1.0, 5)});
    const State moved = course->x();
    course->probe();
    EXPECT_EQ(apart(course->x(), moved), 0);
  }
}

TEST(StepSize, follows_its_schedule) {
  EXPECT_EQ(StepSize(0.3).at(100), 0.3);
  const StepSize linear(0.4, StepSchedule::linear, 10);
  EXPECT_DOUBLE_EQ(linear.at(0), 0.4);
  EXPECT_DOUBLE_EQ(linear.at(5), 0.2);
  EXPECT_DOUBLE_EQ(linear.at(10), 0);
  EXPECT_DOUBLE_EQ(linear.at(50), 0);
  const StepSize cosine(0.4, StepSchedule::cosine, 10);
  EXPECT_DOUBLE_EQ(cosine.at(0), 0.4);
  EXPECT_DOUBLE_EQ(cosine.at(5), 0.2);
  EXPECT_NEAR(cosine.at(10), 0, 1e-15);
  EXPECT_DOUBLE_EQ(StepSize(0.4, StepSchedule::root).at(3), 0.2);
}

TEST(StepSize, reaches_every_rule) {
  // With a schedule that is over at once nothing moves after the first step.
  const StepSize over(0.1, StepSchedule::linear, 1);
  for (const Rule& rule : {gradient_descent(over), nesterov_look_ahead(over, 0.5),
                           nesterov_velocity(over, 0), heavy_ball(over, 0), adam(over, 0.9, 0.99),
                           rmsprop(over, 0.9), barzilai_borwein(over, 10)}) {
    const auto states = path(rule, {1.0, -2.0}, 3, bumpy);
    EXPECT_GT(apart(states[1], states[0]), 0);
    EXPECT_EQ(apart(states[3], states[1]), 0);
  }
}

}  // namespace
}  // namespace eqm::test
