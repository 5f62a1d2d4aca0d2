#include "eqm/landscape/gamma_draw.h"

#include <cmath>

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

double skewed(double uniform) {
  return gamma_from(GammaDraw::skewed, torch::tensor({uniform}, torch::kFloat64)).item<double>();
}

TEST(GammaDraw, every_distribution_is_named_and_stays_within_its_bounds) {
  const Tensor uniform = torch::linspace(0, 1, 1001, torch::kFloat64).narrow(0, 0, 1000);
  for (const auto& [name, kind] : gamma_draw_names()) {
    const Tensor gamma = gamma_from(kind, uniform);
    EXPECT_TRUE(torch::isfinite(gamma).all().item<bool>()) << name;
    EXPECT_GE(gamma.min().item<double>(), 0) << name;
    EXPECT_LE(gamma.max().item<double>(), 1) << name;
    EXPECT_TRUE((gamma.diff() >= 0).all().item<bool>()) << name;
    EXPECT_NE(gamma_draw_help().find(std::string(name)), std::string::npos);
  }
}

TEST(GammaDraw, uniform_leaves_the_numbers_as_they_are) {
  const Tensor uniform = torch::tensor({0.0, 0.3, 0.9}, torch::kFloat64);
  EXPECT_TRUE(torch::equal(gamma_from(GammaDraw::uniform, uniform), uniform));
}

TEST(GammaDraw, skewed_has_the_noise_levels_of_edm) {
  // The median of ln σ is -1.2; one deviation below and above are 15.866 % and 84.134 %.
  EXPECT_NEAR(skewed(0.5), 1 / (1 + std::exp(-1.2)), 1e-12);
  EXPECT_NEAR(skewed(0.15865525393), 1 / (1 + std::exp(0.0)), 1e-9);
  EXPECT_NEAR(skewed(0.84134474607), 1 / (1 + std::exp(-2.4)), 1e-9);
  EXPECT_EQ(skewed(0), 1e-4) << "the least that the code base allows";
}

}  // namespace
}  // namespace eqm::test
