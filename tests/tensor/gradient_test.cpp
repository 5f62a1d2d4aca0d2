#include "eqm/tensor/gradient.h"

#include <gtest/gtest.h>

#include "eqm/tensor/noise_tensor.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

const Tensor kX = normal_rows({.seed = 1}, 3, {4}, torch::kFloat64);

Tensor cubes(const Tensor& x) {
  return x.pow(3).sum(1);
}

TEST(ValueAndGradient, answers_each_samples_value_and_gradient) {
  const ValueAndGradient result = value_and_gradient(cubes, kX, Graph::discard);
  EXPECT_TRUE(close(result.value, kX.pow(3).sum(1), 1e-15));
  EXPECT_TRUE(close(result.gradient, 3 * kX.square(), 1e-15));
}

TEST(ValueAndGradient, works_where_gradients_are_switched_off_and_leaves_them_off) {
  const torch::NoGradGuard guard;
  const ValueAndGradient result = value_and_gradient(cubes, kX, Graph::discard);
  EXPECT_TRUE(close(result.gradient, 3 * kX.square(), 1e-15));
  EXPECT_FALSE(result.gradient.requires_grad());
  EXPECT_FALSE(torch::GradMode::is_enabled());
}

TEST(ValueAndGradient, leaves_the_state_as_it_was) {
  const Tensor x = kX.clone();
  value_and_gradient(cubes, x, Graph::keep);
  EXPECT_FALSE(x.requires_grad());
  EXPECT_FALSE(x.grad().defined());
  EXPECT_TRUE(torch::equal(x, kX));
}

TEST(ValueAndGradient, keeps_the_graph_to_parameters_when_asked) {
  const Tensor a = torch::tensor({2.0}, torch::TensorOptions(torch::kFloat64).requires_grad(true));
  const auto energy = [&](const Tensor& x) { return (a * x.pow(3)).sum(1); };
  const ValueAndGradient kept = value_and_gradient(energy, kX, Graph::keep);
  kept.gradient.sum().backward();  // d/da of 3 a x²
  EXPECT_NEAR(a.grad().item<double>(), 3 * kX.square().sum().item<double>(), 1e-12);
  const ValueAndGradient dropped = value_and_gradient(energy, kX, Graph::discard);
  EXPECT_FALSE(dropped.gradient.requires_grad());
  EXPECT_FALSE(dropped.value.requires_grad());
}

TEST(ValueAndGradient, adds_nothing_to_the_parameters_own_gradients) {
  const Tensor a = torch::tensor({2.0}, torch::TensorOptions(torch::kFloat64).requires_grad(true));
  value_and_gradient([&](const Tensor& x) { return (a * x).sum(1); }, kX, Graph::discard);
  EXPECT_FALSE(a.grad().defined());
}

}  // namespace
}  // namespace eqm::test
