#include "eqm/draw/geometry.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "eqm/base/error.h"
#include "tests/support/not_numbers.h"

namespace eqm::draw {
namespace {

TEST(Range, ignores_values_that_are_not_finite) {
  const Range range = range_of(std::vector<double>{3, kNan, -1, kInf, -kInf});
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 3);
}

TEST(Range, widened_always_has_a_finite_positive_width) {
  for (const Range range :
       {Range{}, Range{2, 2}, Range{0, 0}, Range{5, -5}, Range{kNan, 1}, Range{0, kInf},
        Range{-1e308, 1e308}, Range{1e300, 1e300}, Range{1, 1 + 1e-15}}) {
    const Range wide = widened(range);
    EXPECT_GT(wide.width(), 0) << range.low << " " << range.high;
    EXPECT_TRUE(std::isfinite(wide.width())) << range.low << " " << range.high;
  }
}

TEST(Range, widened_keeps_a_usable_range_and_orders_a_reversed_one) {
  EXPECT_EQ(widened({-1, 4}).low, -1);
  EXPECT_EQ(widened({-1, 4}).high, 4);
  EXPECT_EQ(widened({4, -1}).low, -1);
}

TEST(Tiles, share_the_area_with_gaps) {
  const auto places = tiles({10, 20, 110, 50}, 1, 2, 10, 0);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].width, 50);
  EXPECT_EQ(places[1].x, 70);
  EXPECT_EQ(places[1].right(), 120);
}

TEST(Grid, nodes_reach_both_ends_of_the_ranges) {
  const Grid grid = sample_grid(3, 2, {0, 4}, {-1, 1}, [](Point p) { return 10 * p.x + p.y; });
  EXPECT_EQ(grid.node(0, 0), (Point{0, -1}));
  EXPECT_EQ(grid.node(2, 1), (Point{4, 1}));
  EXPECT_EQ(grid.at(1, 1), 21);
}

TEST(Grid, a_wrong_number_of_values_is_a_usage_error) {
  const Grid grid{.nx = 3, .ny = 3, .x = {0, 1}, .y = {0, 1}, .values = {1, 2}};
  try {
    check(grid);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

}  // namespace
}  // namespace eqm::draw
