#include "eqm/landscape/corruption.h"

#include <cmath>

#include <gtest/gtest.h>

#include "eqm/tensor/noise_tensor.h"

namespace eqm::test {
namespace {

TEST(Corruption, goes_from_noise_to_data) {
  const Tensor x = torch::full({3, 2, 2}, 5.0), noise = torch::full({3, 2, 2}, -1.0);
  const Tensor state = corrupt(x, noise, torch::tensor({0.0f, 0.25f, 1.0f}));
  EXPECT_EQ(state[0].max().item<float>(), -1);
  EXPECT_EQ(state[1].max().item<float>(), 0.5);
  EXPECT_EQ(state[2].min().item<float>(), 5);
}

TEST(Corruption, target_points_from_data_to_noise_and_vanishes_at_data) {
  const Tensor x = torch::ones({2, 3}), noise = torch::full({2, 3}, 3.0);
  const Tensor target = target_gradient(x, noise, torch::tensor({0.5f, 1.0f}), Magnitude{});
  EXPECT_EQ(target[0].min().item<float>(), 8);  // (3 - 1) * lambda
  EXPECT_EQ(target[1].abs().max().item<float>(), 0);
}

TEST(FocusedGamma, without_focus_is_the_uniform_draw_itself) {
  const Tensor uniform = uniform_rows({}, 10, torch::kFloat64);
  EXPECT_TRUE(torch::equal(focused_gamma(uniform, 0, 0.02), uniform));
}

TEST(FocusedGamma, has_the_stated_density_between_its_ends) {
  constexpr double least = 0.02;
  const Tensor uniform = (torch::arange(100000, torch::kFloat64) + 0.5) / 100000;
  for (const double focus : {0.5, 1.0, 2.0, 3.5}) {
    const Tensor distance = 1 - focused_gamma(uniform, focus, least);
    EXPECT_GE(distance.min().item<double>(), least - 1e-12);
    EXPECT_LE(distance.max().item<double>(), 1 + 1e-12);
    // The share below 0.1 is the integral of u^-focus over [least, 0.1] divided by that over
    // [least, 1].
    const auto integral = [&](double to) {
      return focus == 1 ? std::log(to / least)
                        : (std::pow(to, 1 - focus) - std::pow(least, 1 - focus)) / (1 - focus);
    };
    EXPECT_NEAR((distance < 0.1).to(torch::kFloat64).mean().item<double>(),
                integral(0.1) / integral(1), 1e-4)
        << focus;
  }
}

}  // namespace
}  // namespace eqm::test
