#include "eqm/draw/contour.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/not_numbers.h"

namespace eqm::draw {
namespace {

double squared_radius(Point p) {
  return p.x * p.x + p.y * p.y;
}

Grid two_by_two(double bottom_left, double bottom_right, double top_left, double top_right) {
  return {.nx = 2,
          .ny = 2,
          .x = {0, 1},
          .y = {0, 1},
          .values = {bottom_left, bottom_right, top_left, top_right}};
}

TEST(ContourLines, of_a_bowl_is_one_closed_circle) {
  const Grid grid = sample_grid(61, 61, {-1.5, 1.5}, {-1.5, 1.5}, squared_radius);
  const auto lines = contour_lines(grid, 1);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].front(), lines[0].back());
  EXPECT_GT(lines[0].size(), 100u);
  // Linear interpolation of r² over a cell of side h is off by at most h²/4 in r² at an edge's
  // middle.
  const double h = 3.0 / 60;
  for (const Point& p : lines[0]) EXPECT_NEAR(std::sqrt(squared_radius(p)), 1, h * h / 4);
}

TEST(ContourLines, consecutive_points_lie_in_one_cell) {
  const Grid grid = sample_grid(41, 31, {-2, 2}, {-2, 2},
                                [](Point p) { return std::sin(3 * p.x) * std::cos(2 * p.y); });
  for (const double level : {-0.5, 0.1, 0.7}) {
    for (const Polyline& line : contour_lines(grid, level)) {
      for (std::size_t k = 1; k < line.size(); ++k) {
        EXPECT_LE(std::abs(line[k].x - line[k - 1].x), 4.0 / 40 + 1e-12);
        EXPECT_LE(std::abs(line[k].y - line[k - 1].y), 4.0 / 30 + 1e-12);
      }
    }
  }
}

TEST(ContourLines, of_a_plane_run_from_border_to_border) {
  const Grid grid = sample_grid(11, 7, {0, 10}, {0, 6}, [](Point p) { return p.x; });
  const auto lines = contour_lines(grid, 3.25);
  ASSERT_EQ(lines.size(), 1u);
  ASSERT_EQ(lines[0].size(), 7u);
  for (const Point& p : lines[0]) EXPECT_NEAR(p.x, 3.25, 1e-12);
  EXPECT_NE(lines[0].front(), lines[0].back());
}

TEST(ContourLines, in_a_saddle_follow_the_mean) {
  // High at bottom left and top right. A mean above the level joins the high corners: each line
  // then cuts off a low corner, bottom right (near x + y of (1, 0)) or top left.
  const auto high_joined = contour_lines(two_by_two(10, 0, 0, 10), 4);
  ASSERT_EQ(high_joined.size(), 2u);
  for (const Polyline& line : high_joined) {
    ASSERT_EQ(line.size(), 2u);
    EXPECT_GT((line[0].x - line[0].y) * (line[1].x - line[1].y), 0);
  }
  const auto low_joined = contour_lines(two_by_two(10, 0, 0, 10), 6);
  ASSERT_EQ(low_joined.size(), 2u);
  for (const Polyline& line : low_joined) {
    ASSERT_EQ(line.size(), 2u);
    EXPECT_GT((line[0].x + line[0].y - 1) * (line[1].x + line[1].y - 1), 0);
  }
}

TEST(ContourLines, mirrored_saddle_follows_the_mean_too) {
  const auto lines = contour_lines(two_by_two(0, 10, 10, 0), 4);
  ASSERT_EQ(lines.size(), 2u);
  for (const Polyline& line : lines)
    EXPECT_GT((line[0].x + line[0].y - 1) * (line[1].x + line[1].y - 1), 0);
}

TEST(ContourLines, skip_cells_that_are_not_finite) {
  Grid grid = sample_grid(61, 61, {-1.5, 1.5}, {-1.5, 1.5}, squared_radius);
  grid.values[30 * 61 + 50] = kNan;  // at (1, 0), on the circle
  grid.values[0] = std::numeric_limits<double>::infinity();
  const auto lines = contour_lines(grid, 1);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].front(), lines[0].back());
  for (const Point& p : lines[0]) EXPECT_TRUE(is_finite(p));
}

TEST(ContourLines, survive_values_on_the_level_and_huge_values) {
  for (const double level : {0.0, 1.0, 2.0}) {
    const Grid grid =
        sample_grid(5, 5, {-2, 2}, {-2, 2}, [](Point p) { return std::abs(p.x) + std::abs(p.y); });
    for (const Polyline& line : contour_lines(grid, level)) {
      for (const Point& p : line) EXPECT_TRUE(is_finite(p));
    }
  }
  for (const Polyline& line : contour_lines(two_by_two(-1.7e308, 1.7e308, 0, 0), 1)) {
    for (const Point& p : line) EXPECT_TRUE(is_finite(p));
  }
}

TEST(ContourLines, of_nothing_are_nothing) {
  EXPECT_TRUE(contour_lines({}, 0).empty());
  EXPECT_TRUE(contour_lines(two_by_two(1, 1, 1, 1), 0).empty());
  EXPECT_TRUE(contour_lines(two_by_two(0, 1, 0, 1), kNan).empty());
  EXPECT_TRUE(contour_lines(two_by_two(kNan, kNan, kNan, kNan), 0).empty());
}

TEST(EvenLevels, divide_the_values_without_the_extremes) {
  const auto levels = even_levels(two_by_two(0, 1, kNan, 4), 3);
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0], 1);
  EXPECT_EQ(levels[2], 3);
  EXPECT_TRUE(even_levels(two_by_two(2, 2, 2, 2), 3).empty());
}

}  // namespace
}  // namespace eqm::draw
