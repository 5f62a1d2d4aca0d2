#include "eqm/draw/chart.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "eqm/base/error.h"
#include "tests/support/not_numbers.h"

namespace eqm::draw {
namespace {

constexpr Rect kArea{60, 40, 200, 140};

// Pixels of exactly this colour, roughly: anti-aliased borders do not count.
int count_of(const Canvas& canvas, Colour colour, Rect area) {
  const Pixels pixels = canvas.to_pixels();
  int count = 0;
  for (int y = int(area.y); y < int(area.bottom()); ++y) {
    for (int x = int(area.x); x < int(area.right()); ++x) {
      const auto at = static_cast<std::size_t>(3 * (y * pixels.width + x));
      const double distance = std::abs(pixels.rgb[at] - 255 * colour.r) +
                              std::abs(pixels.rgb[at + 1] - 255 * colour.g) +
                              std::abs(pixels.rgb[at + 2] - 255 * colour.b);
      if (distance < 12) ++count;
    }
  }
  return count;
}

TEST(BinCounts, counts_every_finite_value_in_the_range_once) {
  const std::vector<double> values{0, 0.1, 0.5, 0.99, 1, kNan, kInf, 7, -1};
  const auto counts = bin_counts(values, {0, 1}, 2);
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0], 2);
  EXPECT_EQ(counts[1], 3);
}

TEST(BinCounts, impossible_numbers_of_bins_are_usage_errors) {
  EXPECT_THROW(bin_counts({}, {0, 1}, 0), Error);
  EXPECT_THROW(bin_counts({}, {0, 1}, 1 << 30), Error);
}

TEST(LineChart, draws_each_series_in_its_colour) {
  Canvas canvas(300, 240);
  const Series series[] = {{"", {0, 1, 2}, {1, 3, 2}}, {"", {0, 1, 2}, {3, 1, 1}}};
  line_chart(canvas, kArea, series, {.title = "t", .x_label = "x", .y_label = "y"});
  EXPECT_GT(count_of(canvas, category(0), kArea), 50);
  EXPECT_GT(count_of(canvas, category(1), kArea), 50);
  EXPECT_EQ(count_of(canvas, category(2), kArea), 0);
}

TEST(LineChart, puts_its_legend_where_it_hides_least) {
  Series falling{"falling", {}, {}};
  for (int k = 0; k <= 100; ++k) {
    falling.x.push_back(k);
    falling.y.push_back(k > 50 ? 100 : 100 - k);  // passes through the two upper corners
  }
  Canvas canvas(300, 240);
  line_chart(canvas, kArea, {&falling, 1});
  EXPECT_GT(count_of(canvas, category(0), {172, 110, 88, 70}), 10);
}

TEST(LineChart, on_a_log_axis_leaves_out_what_is_not_positive) {
  Canvas canvas(300, 240);
  const Series series{"loss", {0, 1, 2, 3, 4}, {100, 10, 0, -5, 1}};
  line_chart(canvas, kArea, {&series, 1}, {.y_scale = Scale::log});
  EXPECT_GT(count_of(canvas, category(0), kArea), 20);
}

TEST(LineChart, a_power_law_is_straight_on_two_log_axes) {
  Canvas canvas(300, 240);
  const Series series{"", {-1, 0, 1, 10, 100}, {1e4, 1e4, 1, 100, 1e4}};
  line_chart(canvas, kArea, {&series, 1}, {.x_scale = Scale::log, .y_scale = Scale::log});
  const double x = kArea.x + kArea.width / 2, y = kArea.y + kArea.height / 2;
  EXPECT_GT(count_of(canvas, category(0), {x - 2, y - 2, 4, 4}), 0);
  EXPECT_EQ(count_of(canvas, category(0), {x + 5, y + 5, kArea.width / 2, kArea.height / 2}), 0);
}

TEST(LineChart, survives_nothing_and_values_that_are_not_finite) {
  Canvas canvas(300, 240);
  const Series series[] = {
      {"empty", {}, {}}, {"lost", {kNan, 1, kInf}, {1, kNan, kInf}}, {"one", {1}, {1}}};
  line_chart(canvas, kArea, {});
  line_chart(canvas, kArea, series);
  line_chart(canvas, kArea, series, {.y_scale = Scale::log});
  EXPECT_NO_THROW(canvas.to_svg());
}

TEST(LineChart, shows_points_without_neighbours) {
  Canvas canvas(300, 240);
  const Series series{"", {1, 2, 3, 4}, {1, kNan, 2, kNan}};
  line_chart(canvas, kArea, {&series, 1});
  EXPECT_GT(count_of(canvas, category(0), kArea), 20);
}

TEST(LineChart, draws_bands_behind_the_curves) {
  Canvas canvas(300, 240);
  const Series series{"", {0, 1, 2}, {2, 2, 2}};
  ChartOptions options;
  options.bands.push_back(
      {.name = "", .x = {0, 1, 2}, .low = {1, 1, 1}, .high = {3, kNan, 3}, .colour = category(1)});
  line_chart(canvas, kArea, {&series, 1}, options);
  EXPECT_GT(count_of(canvas, category(1), kArea), 5000);
  EXPECT_GT(count_of(canvas, category(0), kArea), 50);
}

TEST(Histogram, does_not_touch_the_sides_of_its_frame) {
  Sample sample{"", {}};
  for (int k = 0; k < 1000; ++k) sample.values.push_back(k / 7.0);
  Canvas canvas(300, 240);
  histogram(canvas, kArea, {&sample, 1}, 10);
  const double floor = kArea.bottom() - 3;  // above the line along the bottom
  EXPECT_EQ(count_of(canvas, category(0), {kArea.x, kArea.y, 4, floor - kArea.y}), 0);
  EXPECT_EQ(count_of(canvas, category(0), {kArea.right() - 3, kArea.y, 4, floor - kArea.y}), 0);
  EXPECT_GT(count_of(canvas, category(0), kArea), 100);
}

TEST(LineChart, series_of_unequal_lengths_are_usage_errors) {
  Canvas canvas(300, 240);
  const Series series{"s", {1, 2}, {1}};
  EXPECT_THROW(line_chart(canvas, kArea, {&series, 1}), Error);
}

TEST(Histogram, has_no_log_axis_of_values) {
  Canvas canvas(300, 240);
  const Sample sample{"", {1, 2}};
  EXPECT_THROW(histogram(canvas, kArea, {&sample, 1}, 2, {.x_scale = Scale::log}), Error);
}

TEST(Histogram, tall_bins_fill_more_than_short_ones) {
  Sample sample{"", {}};
  for (int k = 0; k < 90; ++k) sample.values.push_back(0);
  for (int k = 0; k < 10; ++k) sample.values.push_back(1);
  Canvas canvas(300, 240);
  histogram(canvas, kArea, {&sample, 1}, 2);
  const Colour fill{1 - 0.35 * (1 - category(0).r), 1 - 0.35 * (1 - category(0).g),
                    1 - 0.35 * (1 - category(0).b)};
  const int left = count_of(canvas, fill, {60, 40, 100, 140});
  const int right = count_of(canvas, fill, {160, 40, 100, 140});
  EXPECT_GT(left, 6 * right);
  EXPECT_GT(right, 100);
}

TEST(Histogram, survives_nothing_and_values_that_are_not_finite) {
  Canvas canvas(300, 240);
  const Sample samples[] = {{"empty", {}}, {"lost", {kNan, kInf, -kInf}}, {"same", {3, 3, 3}}};
  histogram(canvas, kArea, {}, 10);
  histogram(canvas, kArea, samples, 10);
  histogram(canvas, kArea, samples, 10, {.y_scale = Scale::log});
  EXPECT_NO_THROW(canvas.to_svg());
}

}  // namespace
}  // namespace eqm::draw
