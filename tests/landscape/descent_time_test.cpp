#include "eqm/landscape/descent_time.h"

#include <cmath>

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

// What is left of the way, 1-γ, after following dγ/dt = c(γ) for the landscape's own time.
double left_after_descent(const Magnitude& c) {
  constexpr int kSteps = 200'000;
  double gamma = 0;
  const double step = descent_time(c) / kSteps;
  for (int i = 0; i < kSteps; ++i) gamma += step * c(gamma + step / 2 * c(gamma));
  return 1 - gamma;
}

TEST(DescentTime, is_what_the_way_takes_whatever_its_shape) {
  const double expected = 0.2 * std::exp(-11);
  for (const Magnitude& c :
       {Magnitude{.kind = MagnitudeKind::linear}, Magnitude{.kind = MagnitudeKind::truncated},
        Magnitude{.kind = MagnitudeKind::truncated, .a = 0, .lambda = 1},
        Magnitude{.kind = MagnitudeKind::truncated, .a = 0.5},
        Magnitude{.kind = MagnitudeKind::truncated, .a = 0.9, .lambda = 8},
        Magnitude{.kind = MagnitudeKind::piecewise, .b = 0.8, .lambda = 1},
        Magnitude{.kind = MagnitudeKind::piecewise, .b = 1},
        Magnitude{.kind = MagnitudeKind::piecewise, .b = 1.4}}) {
    EXPECT_NEAR(left_after_descent(c), expected, 1e-3 * expected) << c.a << " " << c.b;
  }
  const Magnitude flow = {.kind = MagnitudeKind::constant, .lambda = 4};
  EXPECT_NEAR(left_after_descent(flow), 0, 1e-9) << "arrives, and goes no further";
}

TEST(DescentTime, is_the_papers_in_the_papers_landscape_and_finite_in_any) {
  EXPECT_DOUBLE_EQ(descent_time({}), 250 * 0.003);
  for (const Magnitude& c : {Magnitude{.kind = MagnitudeKind::linear},
                             Magnitude{.kind = MagnitudeKind::truncated, .a = 0.999},
                             Magnitude{.kind = MagnitudeKind::piecewise, .a = 0.3, .b = 0}}) {
    EXPECT_TRUE(std::isfinite(descent_time(c)));
    EXPECT_GT(descent_time(c), 0);
  }
}

}  // namespace
}  // namespace eqm::test
