#include "eqm/draw/axis.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/draw/canvas.h"
#include "tests/support/not_numbers.h"

namespace eqm::draw {
namespace {

// The shares of the axis before its first and after its last number.
std::pair<double, double> bare_ends(const Axis& axis) {
  Range numbered;
  for (const Tick& tick : axis.ticks) {
    if (!tick.label.empty()) numbered.include(tick.at);
  }
  return {axis.range.fraction(numbered.low), 1 - axis.range.fraction(numbered.high)};
}

TEST(Axis, has_a_number_near_each_end) {
  for (const Scale scale : {Scale::linear, Scale::log}) {
    for (const double low : {-3.3, 0.0, 1.63, 2.4}) {
      for (const double width : {0.01, 0.3, 0.57, 1.1, 2.9, 7.0}) {
        const Range data{low, low + width};
        const Axis axis =
            fit_axis(data, {.scale = scale, .side = Side::left, .length = 300, .room_low = 0.06});
        const auto [first, last] = bare_ends(axis);
        EXPECT_LE(first, 0.15) << low << " " << width;
        EXPECT_LE(last, 0.15) << low << " " << width;
        EXPECT_LT(axis.range.low, data.low);
        EXPECT_GE(axis.range.high, data.high);
        EXPECT_LT(axis.range.width(), 2.2 * width) << low << " " << width;
      }
    }
  }
}

// The distance of real images, 43.5, had no number below 60.
TEST(Axis, has_numbers_where_the_data_are) {
  const Axis axis = fit_axis({std::log10(43.5), std::log10(151)}, {.scale = Scale::log,
                                                                   .side = Side::left,
                                                                   .length = 330,
                                                                   .room_low = 0.06,
                                                                   .room_high = 0.06});
  bool below = false;
  for (const Tick& tick : axis.ticks) {
    below = below || (!tick.label.empty() && tick.at <= std::log10(50));
  }
  EXPECT_TRUE(below);
}

TEST(Axis, keeps_labels_apart) {
  const std::vector<Range> ranges{{0, 1},       {1e-9, 8e-9}, {0.00012, 0.00041}, {1e5, 3e7},
                                  {-1e6, -2e5}, {0, 1e12},    {1, 1.0000000001}};
  for (const Range& range : ranges) {
    for (const double length : {60.0, 200.0, 620.0}) {
      const Axis axis = fit_axis(range, {.length = length});
      double end = -1e9;
      for (const Tick& tick : axis.ticks) {
        const double half = text_width(tick.label, {.size = 11}) / 2;
        const double at = axis.range.fraction(tick.at) * length;
        if (tick.label.empty()) continue;
        EXPECT_GT(at - half, end + 4) << range.low << " " << length;
        end = at + half;
      }
    }
  }
}

TEST(Axis, stands_at_the_wanted_values_when_they_fit) {
  const std::vector<double> tokens{64, 144, 256, 576, 1024};
  const Range data{std::log10(64), std::log10(1024)};
  const Axis wide = fit_axis(data, {.scale = Scale::log, .length = 620, .wanted = tokens});
  ASSERT_EQ(wide.ticks.size(), 5u);
  EXPECT_EQ(wide.ticks[1].label, "144");
  EXPECT_DOUBLE_EQ(wide.ticks[1].at, std::log10(144));
  const Axis narrow = fit_axis(data, {.scale = Scale::log, .length = 60, .wanted = tokens});
  for (const Tick& tick : narrow.ticks) EXPECT_NE(tick.label, "144");
}

TEST(Axis, of_one_whole_number_shows_its_neighbours) {
  const Axis axis =
      fit_axis({14, 14}, {.side = Side::left, .length = 300, .numbers = Numbers::whole});
  ASSERT_GE(axis.ticks.size(), 3u);
  for (const Tick& tick : axis.ticks) EXPECT_EQ(tick.at, std::round(tick.at));
}

TEST(Axis, survives_empty_and_infinite_ranges) {
  for (const Range range : {Range{}, Range{-kInf, kInf}, Range{0, 0}, Range{-1e308, 1e308}}) {
    for (const Scale scale : {Scale::linear, Scale::log}) {
      for (const double length : {0.0, 5.0, 300.0}) {
        EXPECT_LE(fit_axis(range, {.scale = scale, .length = length}).ticks.size(), 100u);
      }
    }
  }
}

TEST(Whole, are_numbers_without_a_fraction) {
  EXPECT_TRUE(are_whole(std::vector<double>{1, -3, kNan, 4e15}));
  EXPECT_FALSE(are_whole(std::vector<double>{1, 2.5}));
  EXPECT_FALSE(are_whole(std::vector<double>{kNan}));
}

}  // namespace
}  // namespace eqm::draw
