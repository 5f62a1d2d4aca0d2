#include "eqm/draw/heat_map.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace eqm::draw {
namespace {

const ColourMap kGrey({{0, 0, 0}, {1, 1, 1}});

TEST(Interpolate, is_exact_for_bilinear_functions) {
  const auto plane = [](Point p) { return 2 * p.x - 3 * p.y + p.x * p.y; };
  const Grid grid = sample_grid(4, 5, {-1, 2}, {0, 8}, plane);
  for (const Point p : {Point{-1, 0}, Point{2, 8}, Point{0.3, 4.7}, Point{1.99, 0.01}}) {
    EXPECT_NEAR(interpolate(grid, p), plane(p), 1e-12);
  }
}

TEST(Interpolate, is_not_a_number_outside_and_beside_missing_values) {
  Grid grid = sample_grid(3, 3, {0, 2}, {0, 2}, [](Point) { return 1.0; });
  grid.values[8] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(interpolate(grid, {2.5, 1})));
  EXPECT_TRUE(std::isnan(interpolate(grid, {1.5, 1.5})));
  EXPECT_EQ(interpolate(grid, {0.5, 0.5}), 1);
  EXPECT_TRUE(std::isnan(interpolate({}, {0, 0})));
}

TEST(Shade, puts_high_y_at_the_top_and_spans_the_map) {
  const Grid grid = sample_grid(2, 2, {0, 1}, {0, 1}, [](Point p) { return p.y; });
  const Raster raster = shade(grid, {0, 1}, {0, 1}, 3, 50, kGrey, {0, 1});
  ASSERT_EQ(raster.pixels.size(), 150u);
  EXPECT_NEAR(raster.pixels.front().r, 0.99, 1e-9);
  EXPECT_NEAR(raster.pixels.back().r, 0.01, 1e-9);
}

TEST(Shade, leaves_missing_values_transparent_and_survives_a_zero_range) {
  const Grid grid = sample_grid(2, 2, {0, 1}, {0, 1}, [](Point) { return 5.0; });
  const Raster raster = shade(grid, {0, 2}, {0, 1}, 2, 1, kGrey, {5, 5});
  EXPECT_EQ(raster.pixels[0].a, 1);
  EXPECT_EQ(raster.pixels[1].a, 0);
}

}  // namespace
}  // namespace eqm::draw
