#include "eqm/descend/likelihood.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

// Data N(m, s²) in every coordinate, on the way x_t = t x₁ + (1-t) x₀ from noise: at time t the
// states are N(t m, σ²), σ² = t² s² + (1-t)², and
//   v = m + (t s² - (1-t)) / σ² · (x - t m).
struct GaussianFlow {
  Tensor mean, deviation;  // [d]

  DifferentiableField field() const {
    return [*this](const Tensor& x, const Condition& condition) {
      const Tensor t = condition.time.unsqueeze(1);
      const Tensor variance = (t * deviation).square() + (1 - t).square();
      const Tensor slope = (t * deviation.square() - (1 - t)) / variance;
      return -(mean + slope * (x - t * mean));
    };
  }

  double log_density(const Tensor& x) const {
    const Tensor z = (x - mean) / deviation;
    const auto d = static_cast<double>(mean.numel());
    return (-0.5 * z.square().sum() - deviation.log().sum()).item<double>() -
           0.5 * d * std::log(2 * std::numbers::pi);
  }
};

GaussianFlow three_dimensions() {
  return {.mean = torch::tensor({0.5, -2.0, 1.0}, torch::kFloat64),
          .deviation = torch::tensor({0.3, 1.7, 0.8}, torch::kFloat64)};
}

TEST(Likelihood, of_a_gaussian_flow_is_its_density) {
  const GaussianFlow flow = three_dimensions();
  const Tensor x = flow.mean + flow.deviation * normal(1, 6, {3}) * 1.5;
  for (const double tolerance : {1e-4, 1e-8}) {
    const auto all =
        likelihoods(flow.field(), x, {}, {.atol = tolerance, .rtol = tolerance, .probes = 0});
    ASSERT_EQ(all.size(), 6U);
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(all[static_cast<size_t>(i)].log_density, flow.log_density(x[i]), 200 * tolerance)
          << i;
    }
  }
}

// ∂v/∂x is a multiple of each coordinate's own, so that signs find the trace without noise.
TEST(Likelihood, by_signs_is_exact_where_the_jacobian_is_diagonal) {
  const GaussianFlow flow = three_dimensions();
  const Tensor x = flow.mean + flow.deviation * normal(2, 3, {3});
  const auto all = likelihoods(flow.field(), x, {}, {.atol = 1e-8, .rtol = 1e-8, .probes = 1});
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(all[static_cast<size_t>(i)].log_density, flow.log_density(x[i]), 1e-5) << i;
  }
}

// In turned coordinates the Jacobian is full: one set of signs is off, their mean is not.
TEST(Likelihood, by_many_signs_agrees_with_the_exact_one) {
  const GaussianFlow flow = three_dimensions();
  const double c = std::cos(0.7), s = std::sin(0.7);
  const Tensor turn = torch::tensor({{c, -s, 0.0}, {s * c, c * c, -s}, {s * s, s * c, c}},
                                    torch::kFloat64);  // orthogonal
  const DifferentiableField straight = flow.field();
  const DifferentiableField turned = [&](const Tensor& x, const Condition& condition) {
    return torch::matmul(straight(torch::matmul(x, turn), condition), turn.t());
  };
  const Tensor x = torch::matmul(flow.mean + flow.deviation * normal(3, 2, {3}), turn.t());
  const auto exact = likelihoods(turned, x, {}, {.probes = 0});
  const auto one = likelihoods(turned, x, {}, {.probes = 1});
  const auto many = likelihoods(turned, x, {}, {.probes = 400});
  for (size_t i = 0; i < 2; ++i) {
    const double density = flow.log_density(torch::matmul(x, turn)[static_cast<int64_t>(i)]);
    EXPECT_NEAR(exact[i].log_density, density, 1e-3);
    EXPECT_GT(std::abs(one[i].volume - exact[i].volume), 1e-3) << "signs are noisy here";
    EXPECT_NEAR(many[i].volume, exact[i].volume, 0.25);
    EXPECT_NEAR(many[i].log_noise, exact[i].log_noise, 1e-3);
  }
}

// The divergence is estimated with a sample's own signs, wherever it stands.
TEST(Likelihood, of_a_state_does_not_depend_on_its_neighbours) {
  const GaussianFlow flow = three_dimensions();
  const DifferentiableField field = [inner = flow.field()](const Tensor& x,
                                                           const Condition& condition) {
    return inner(x, condition) + 0.1 * x.roll(1, 1);
  };
  const Tensor x = normal(4, 5, {3});
  const auto together = likelihoods(field, x, {}, {.seed = 9});
  const auto alone = likelihoods(field, x.narrow(0, 3, 1), {}, {.seed = 9, .first_sample = 3});
  EXPECT_NEAR(alone[0].log_density, together[3].log_density, 1e-9);
}

TEST(Likelihood, shows_each_state_its_label) {
  const DifferentiableField field = [](const Tensor& x, const Condition& condition) {
    return -condition.labels.to(x.options()).unsqueeze(1) * (1 + 0 * x);  // v = label
  };
  const Tensor x = torch::zeros({2, 1}, torch::kFloat64);
  const auto all = likelihoods(field, x, torch::tensor({0, 2}, torch::kInt64), {.probes = 0});
  const double top = -0.5 * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(all[0].log_density, top, 1e-6);
  EXPECT_NEAR(all[1].log_density, top - 0.5 * 4, 1e-4);
}

TEST(Likelihood, needs_a_flow) {
  EXPECT_NO_THROW(require_flow(ObjectiveKind::fm_unconditional));
  expect_error(ErrorKind::usage, "no likelihood", [] { require_flow(ObjectiveKind::eqm); });
}

}  // namespace
}  // namespace eqm::test
