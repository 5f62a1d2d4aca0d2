#include "eqm/landscape/divergence.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

// f(x) = A x + x³: the divergence is tr A + 3‖x‖².
TEST(Divergence, of_a_polynomial_is_exact) {
  const Tensor matrix = normal(1, {5, 5});
  const DifferentiableField field = [&](const Tensor& x, const Condition&) {
    return torch::matmul(x, matrix.t()) + x.pow(3);
  };
  const Tensor x = normal(2, 7, {5});
  const FieldAndDivergence exact = exact_divergence(field, x, {});
  const Tensor expected = matrix.trace() + 3 * x.square().sum(1);
  EXPECT_TRUE(close(exact.divergence, expected, 1e-12));
  EXPECT_TRUE(close(exact.value, field(x, {}), 1e-14));
  // With every combination of signs the estimate has no noise left.
  std::vector<Tensor> signs;
  for (int combination = 0; combination < 32; ++combination) {
    Tensor one = torch::empty({5}, torch::kFloat64);
    for (int i = 0; i < 5; ++i) one[i] = (combination >> i & 1) != 0 ? 1.0 : -1.0;
    signs.push_back(one.expand({7, 5}));
  }
  const FieldAndDivergence mean = estimated_divergence(field, x, {}, torch::stack(signs));
  EXPECT_TRUE(close(mean.divergence, expected, 1e-12));
}

TEST(Divergence, of_a_model_is_that_of_differences) {
  for (const ObjectiveKind kind : {ObjectiveKind::fm, ObjectiveKind::eqm}) {
    const LearnedField field(model_of(small_mlp(), kind));
    const Tensor x = normal(3, 4, {3});
    const Condition condition = {.labels = torch::tensor({0, 1, 2, 3}, torch::kInt64),
                                 .time = torch::tensor({0.1, 0.4, 0.7, 1.0}, torch::kFloat64)};
    const FieldAndDivergence exact = exact_divergence(differentiable(field), x, condition);
    EXPECT_TRUE(close(exact.value, field.gradient(x, condition), 1e-12));
    Tensor expected = torch::zeros({4}, torch::kFloat64);
    constexpr double kStep = 1e-5;
    for (int64_t i = 0; i < 3; ++i) {
      Tensor step = torch::zeros({3}, torch::kFloat64);
      step[i] = kStep;
      const Tensor difference =
          field.gradient(x + step, condition) - field.gradient(x - step, condition);
      expected += difference.select(1, i) / (2 * kStep);
    }
    EXPECT_TRUE(close(exact.divergence, expected, 1e-6)) << name_of(kind);
  }
}

TEST(Divergence, of_an_explicit_energy_is_refused) {
  const LearnedField field(model_of(small_mlp(), ObjectiveKind::eqm_dot));
  expect_error(ErrorKind::usage, "third derivatives", [&] { differentiable(field); });
}

TEST(Divergence, probes_must_fit) {
  const DifferentiableField field = [](const Tensor& x, const Condition&) { return x; };
  const Tensor x = normal(4, 3, {2});
  expect_error(ErrorKind::usage, "do not fit", [&] {
    estimated_divergence(field, x, {}, torch::ones({1, 2, 2}));
  });
}

}  // namespace
}  // namespace eqm::test
