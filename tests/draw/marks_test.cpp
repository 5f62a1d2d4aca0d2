#include "eqm/draw/marks.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace eqm::draw {
namespace {

TEST(StarOutline, has_five_points_at_the_radius_and_one_up) {
  const Polyline star = star_outline({10, 20}, 8);
  ASSERT_EQ(star.size(), 10u);
  for (std::size_t k = 0; k < star.size(); k += 2) {
    EXPECT_NEAR(std::hypot(star[k].x - 10, star[k].y - 20), 8, 1e-9);
  }
  EXPECT_NEAR(star[0].x, 10, 1e-9);
  EXPECT_NEAR(star[0].y, 12, 1e-9);
}

TEST(ArrowOutline, reaches_from_tail_to_tip) {
  const Polyline arrow = arrow_outline({0, 0}, {20, 0}, {});
  Range x;
  for (const Point& p : arrow) x.include(p.x);
  EXPECT_NEAR(x.low, 0, 1e-9);
  EXPECT_NEAR(x.high, 20, 1e-9);
}

TEST(ArrowOutline, head_shrinks_with_short_arrows) {
  const Polyline arrow = arrow_outline({0, 0}, {3, 0}, {.head = 5});
  for (const Point& p : arrow) EXPECT_LT(std::abs(p.y), 1.0);
}

TEST(ArrowOutline, is_empty_without_length_or_finite_ends) {
  EXPECT_TRUE(arrow_outline({1, 1}, {1, 1}, {}).empty());
  EXPECT_TRUE(arrow_outline({1, 1}, {std::numeric_limits<double>::quiet_NaN(), 1}, {}).empty());
  EXPECT_TRUE(arrow_outline({1, 1}, {std::numeric_limits<double>::infinity(), 1}, {}).empty());
}

}  // namespace
}  // namespace eqm::draw
