#include "eqm/landscape/magnitude.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

std::vector<Magnitude> equilibria() {
  return {{.kind = MagnitudeKind::linear},
          {.kind = MagnitudeKind::truncated},
          {.kind = MagnitudeKind::truncated, .a = 0, .lambda = 1},
          {.kind = MagnitudeKind::piecewise},
          {.kind = MagnitudeKind::piecewise, .a = 0.3, .b = 0, .lambda = 0.5}};
}

TEST(Magnitude, vanishes_at_data_for_every_equilibrium_and_not_for_the_flow) {
  for (const Magnitude& c : equilibria()) {
    EXPECT_EQ(c(1.0), 0.0);
    EXPECT_EQ(c(torch::ones({1}))[0].item<double>(), 0.0);
    EXPECT_GT(c(0.999), 0.0);
  }
  EXPECT_EQ((Magnitude{.kind = MagnitudeKind::constant, .lambda = 3})(1.0), 3.0);
}

TEST(Magnitude, is_what_the_paper_prints) {
  const Magnitude truncated = {.kind = MagnitudeKind::truncated, .a = 0.8, .lambda = 4};
  EXPECT_DOUBLE_EQ(truncated(0.0), 4);
  EXPECT_DOUBLE_EQ(truncated(0.8), 4);
  EXPECT_DOUBLE_EQ(truncated(0.9), 2);
  const Magnitude piecewise = {.kind = MagnitudeKind::piecewise, .a = 0.5, .b = 3, .lambda = 2};
  EXPECT_DOUBLE_EQ(piecewise(0.0), 6);
  EXPECT_DOUBLE_EQ(piecewise(0.25), 4);
  EXPECT_DOUBLE_EQ(piecewise(0.5), 2);
  EXPECT_DOUBLE_EQ(piecewise(0.75), 1);
  EXPECT_DOUBLE_EQ((Magnitude{.kind = MagnitudeKind::linear, .lambda = 2})(0.25), 1.5);
}

TEST(Magnitude, default_is_truncated_at_0_8_times_4) {
  const Magnitude c;
  EXPECT_EQ(c.kind, MagnitudeKind::truncated);
  EXPECT_EQ(c.a, 0.8);
  EXPECT_EQ(c.lambda, 4.0);
}

TEST(Magnitude, is_continuous_at_a) {
  for (const Magnitude& c : equilibria()) {
    const double above = std::nextafter(c.a, 1.0);
    EXPECT_NEAR(c(above), c(c.a), 1e-13) << c.a;
  }
}

TEST(Magnitude, tensor_and_scalar_forms_agree) {
  const Tensor gamma = torch::linspace(0, 1, 1001, torch::kFloat64);
  auto all = equilibria();
  all.push_back({.kind = MagnitudeKind::constant, .lambda = 2});
  for (const Magnitude& c : all) {
    const Tensor values = c(gamma);
    for (int64_t i = 0; i < gamma.size(0); ++i) {
      ASSERT_NEAR(values[i].item<double>(), c(gamma[i].item<double>()), 1e-14);
    }
    EXPECT_EQ(c(gamma.to(torch::kFloat32)).scalar_type(), torch::kFloat32);
  }
}

TEST(Magnitude, over_distance_divides_by_what_is_left_and_stays_finite) {
  for (const Magnitude& c : equilibria()) {
    for (const double gamma : {0.0, 0.2, 0.29, 0.5, 0.799, 0.8, 0.81, 0.95, 0.999}) {
      EXPECT_NEAR(c.over_distance(gamma), c(gamma) / (1 - gamma), 1e-11 * c.over_distance(gamma));
    }
    EXPECT_TRUE(std::isfinite(c.over_distance(1.0)));
    EXPECT_NEAR(c.over_distance(1.0), c.over_distance(1 - 1e-9), 1e-6 * c.over_distance(1.0));
  }
  const Magnitude flow = {.kind = MagnitudeKind::constant, .lambda = 3};
  EXPECT_DOUBLE_EQ(flow.over_distance(0.75), 12);
}

TEST(Magnitude, refuses_what_is_out_of_range) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const double a : {-0.1, 1.0, 1.5, nan}) {
    expect_error(ErrorKind::usage, "a must be",
                 [&] { Magnitude{.kind = MagnitudeKind::truncated, .a = a}.validate(); });
    expect_error(ErrorKind::usage, "a must be",
                 [&] { Magnitude{.kind = MagnitudeKind::piecewise, .a = a}.validate(); });
  }
  expect_error(ErrorKind::usage, "a above 0",
               [&] { Magnitude{.kind = MagnitudeKind::piecewise, .a = 0}.validate(); });
  for (const double b : {-1.0, nan, infinity}) {
    expect_error(ErrorKind::usage, "b must be",
                 [&] { Magnitude{.kind = MagnitudeKind::piecewise, .b = b}.validate(); });
  }
  for (const double lambda : {0.0, -4.0, nan, infinity}) {
    expect_error(ErrorKind::usage, "lambda", [&] { Magnitude{.lambda = lambda}.validate(); });
  }
  for (const Magnitude& c : equilibria()) EXPECT_NO_THROW(c.validate());
}

}  // namespace
}  // namespace eqm::test
