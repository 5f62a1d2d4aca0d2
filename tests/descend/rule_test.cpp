#include "eqm/descend/rule.h"

#include <cmath>

#include <gtest/gtest.h>

#include "eqm/tensor/noise_tensor.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

Tensor normal(uint64_t seed, int64_t count, const Shape& shape) {
  return normal_rows({.seed = seed}, count, shape, torch::kFloat64);
}

// `steps` updates of ∇E from `start`.
template <class Gradient>
Tensor run(const Rule& rule, const Tensor& start, int steps, const Gradient& gradient) {
  DescentState state = rule.start(start);
  for (int k = 0; k < steps; ++k) rule.step(state, gradient(rule.probe(state)));
  return state.x;
}

TEST(GradientDescent, follows_the_closed_form_on_a_quadratic) {
  // E = ½ Σ a_j x_j²: x_k = (1 - η a)^k x_0
  const Tensor a = torch::tensor({0.1, 1.0, 3.0, 7.5}, torch::kFloat64);
  const Tensor start = normal(1, 3, {4});
  const double eta = 0.2;
  for (const int steps : {0, 1, 2, 17}) {
    const Tensor x =
        run(GradientDescent(eta), start, steps, [&](const Tensor& p) { return a * p; });
    EXPECT_TRUE(close(x, torch::pow(1 - eta * a, steps) * start, 1e-13)) << steps;
  }
}

TEST(NesterovLookAhead, without_look_ahead_is_gradient_descent) {
  const Tensor start = normal(2, 4, {2, 3});
  const auto field = [](const Tensor& p) { return p.sin() + 0.3 * p; };
  EXPECT_TRUE(torch::equal(run(NesterovLookAhead(0.1, 0), start, 12, field),
                           run(GradientDescent(0.1), start, 12, field)));
}

TEST(NesterovLookAhead, is_the_formula_of_the_paper_unrolled) {
  // x_{k+1} = x_k - η ∇E(x_k + μ (x_k - x_{k-1})), x_{-1} = x_0; one coordinate in plain doubles.
  const double eta = 0.13, mu = 0.35;
  const auto slope = [](double p) { return std::sin(2 * p) + 0.5 * p * p; };
  const double x0 = 0.9;
  const double x1 = x0 - eta * slope(x0);
  const double x2 = x1 - eta * slope(x1 + mu * (x1 - x0));
  const double x3 = x2 - eta * slope(x2 + mu * (x2 - x1));
  const double by_hand[] = {x0, x1, x2, x3};
  const auto field = [](const Tensor& p) { return torch::sin(2 * p) + 0.5 * p * p; };
  for (int k = 0; k < 4; ++k) {
    const Tensor x =
        run(NesterovLookAhead(eta, mu), torch::full({1, 1}, x0, torch::kFloat64), k, field);
    EXPECT_NEAR(x.item<double>(), by_hand[k], 1e-15) << k;
  }
}

TEST(NesterovLookAhead, contracts_a_quadratic_at_the_rate_of_its_recurrence) {
  // On E = ½ a x²: x_{k+1} = (1 - ηa(1+μ)) x_k + ηaμ x_{k-1}
  const double eta = 0.05, mu = 0.6, a = 3;
  double before = 1, now = 1;
  for (int k = 0; k < 40; ++k) {
    const double next = (1 - eta * a * (1 + mu)) * now + eta * a * mu * before;
    before = now;
    now = next;
  }
  const Tensor x = run(NesterovLookAhead(eta, mu), torch::ones({1, 1}, torch::kFloat64), 40,
                       [&](const Tensor& p) { return a * p; });
  EXPECT_NEAR(x.item<double>(), now, 1e-13);
}

TEST(Rules, probe_does_not_move_the_state_and_steps_leave_the_start_alone) {
  const Tensor start = normal(3, 2, {5});
  const Tensor copy = start.clone();
  const GradientDescent plain(0.1);
  const NesterovLookAhead ahead(0.1, 0.5);
  for (const Rule* rule : {static_cast<const Rule*>(&plain), static_cast<const Rule*>(&ahead)}) {
    DescentState state = rule->start(start);
    EXPECT_TRUE(torch::equal(rule->probe(state), start));
    rule->step(state, torch::ones_like(start));
    const Tensor moved = state.x.clone();
    rule->probe(state);
    EXPECT_TRUE(torch::equal(state.x, moved));
    EXPECT_TRUE(torch::equal(start, copy));
  }
}

TEST(Rules, rows_of_a_state_carry_on_as_if_alone) {
  const Tensor start = normal(4, 5, {3});
  const auto field = [](const Tensor& p) { return p * p * p; };
  const NesterovLookAhead rule(0.02, 0.4);
  DescentState all = rule.start(start);
  for (int k = 0; k < 3; ++k) rule.step(all, field(rule.probe(all)));
  const Tensor index = torch::tensor({4, 1}, torch::kInt64);
  DescentState some = all.rows(index);
  for (int k = 0; k < 3; ++k) {
    rule.step(all, field(rule.probe(all)));
    rule.step(some, field(rule.probe(some)));
  }
  EXPECT_TRUE(torch::equal(some.x, all.x.index_select(0, index)));
}

}  // namespace
}  // namespace eqm::test
