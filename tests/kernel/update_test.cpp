// Updates of all parameters against the same formulas in float64, on every instruction set.
#include "eqm/kernel/update.h"

#include <gtest/gtest.h>

#include "eqm/kernel/dispatch.h"
#include "tests/support/every_target.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

// Lengths below, at and beyond a vector and a run; one starts off any alignment.
std::vector<Tensor> some_tensors(uint64_t seed) {
  torch::manual_seed(seed);
  std::vector<Tensor> all;
  for (const int64_t length : {1, 15, 16, 100, 8192, 40001}) {
    all.push_back(torch::randn({length + 1}).narrow(0, 1, length));
  }
  return all;
}

Tensor wide(const Tensor& t) {
  return t.to(torch::kFloat64);
}

kernel::WeightUpdate wide(const kernel::WeightUpdate& t) {
  const auto of = [](const Tensor& part) { return part.defined() ? wide(part) : part; };
  return {of(t.weight), of(t.gradient), of(t.first), of(t.second), of(t.average)};
}

constexpr kernel::AdamWStep kStep = {
    .rate = 0.01, .weight_decay = 0.1, .beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-8, .number = 3};

TEST(Update, adamw_and_averages_in_one_pass_are_those_of_the_formulas) {
  on_every_target([] {
    const auto weights = some_tensors(1), gradients = some_tensors(2), first = some_tensors(3);
    const auto averages = some_tensors(4);
    std::vector<kernel::WeightUpdate> narrow, expected;
    for (size_t i = 0; i < weights.size(); ++i) {
      // Some have no average.
      narrow.push_back({weights[i], gradients[i], first[i], first[i].square(),
                        i % 3 == 2 ? Tensor() : averages[i]});
      expected.push_back(wide(narrow[i]));
    }
    kernel::update_weights(narrow, kStep, 0.9);
    kernel::update_weights(expected, kStep, 0.9);
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_TRUE(close(narrow[i].weight, expected[i].weight, 1e-6));
      EXPECT_TRUE(close(narrow[i].first, expected[i].first, 1e-6));
      EXPECT_TRUE(close(narrow[i].second, expected[i].second, 1e-6));
      if (i % 3 == 2) continue;
      EXPECT_TRUE(close(narrow[i].average, expected[i].average, 1e-6));
    }
  });
}

TEST(Update, averages_alone_leave_the_weights) {
  on_every_target([] {
    const auto averages = some_tensors(4), weights = some_tensors(5);
    std::vector<kernel::WeightUpdate> narrow, expected;
    for (size_t i = 0; i < weights.size(); ++i) {
      narrow.push_back({weights[i], {}, {}, {}, averages[i]});
      expected.push_back(wide(narrow[i]));
    }
    kernel::update_weights(narrow, kStep, 0.9);
    kernel::update_weights(expected, kStep, 0.9);
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_TRUE(close(narrow[i].average, expected[i].average, 1e-6));
      EXPECT_TRUE(torch::equal(wide(weights[i]), expected[i].weight));
    }
  });
}

TEST(Update, refuses_a_gradient_of_another_size) {
  const auto of = [](int64_t size) { return torch::ones({size}); };
  EXPECT_ANY_THROW(kernel::update_weights({{of(8), of(4), of(8), of(8), {}}}, kStep, 0));
  EXPECT_ANY_THROW(kernel::update_weights({{of(8), {}, {}, {}, of(5)}}, kStep, 0));
}

TEST(Update, square_sum_loses_no_digits_to_many_numbers) {
  on_every_target([] {
    const auto tensors = some_tensors(6);
    double expected = 0;
    for (const Tensor& t : tensors) expected += wide(t).square().sum().item<double>();
    EXPECT_NEAR(kernel::square_sum(tensors) / expected, 1, 1e-6);
    EXPECT_EQ(kernel::square_sum({}), 0);
    EXPECT_FALSE(std::isfinite(kernel::square_sum({torch::full({3}, 1e30f)})));
  });
}

}  // namespace
}  // namespace eqm::test
