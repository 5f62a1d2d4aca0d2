#include "eqm/draw/ticks.h"

#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

namespace eqm::draw {
namespace {

const Range kRanges[] = {{0, 1},      {-2.5, 2.5},  {0.013, 0.87},
                         {-1e6, 3e6}, {1e-9, 7e-9}, {1000, 1001}};

TEST(NiceTicks, lie_inside_the_range_and_cover_it) {
  for (const Range range : kRanges) {
    const auto ticks = nice_ticks(range);
    ASSERT_GE(ticks.size(), 3u);
    ASSERT_LE(ticks.size(), 10u);
    const double step = ticks[1].at - ticks[0].at;
    const double slack = 1e-6 * step;
    EXPECT_GE(ticks.front().at, range.low - slack);
    EXPECT_LE(ticks.back().at, range.high + slack);
    EXPECT_LT(ticks.front().at - range.low, step + slack);
    EXPECT_LT(range.high - ticks.back().at, step + slack);
  }
}

TEST(NiceTicks, steps_are_one_two_or_five_times_a_power_of_ten) {
  for (const Range range : kRanges) {
    const auto ticks = nice_ticks(range);
    const double step = ticks[1].at - ticks[0].at;
    const double digit = step / std::pow(10.0, std::floor(std::log10(step) + 1e-6));
    EXPECT_TRUE(std::abs(digit - 1) < 1e-4 || std::abs(digit - 2) < 1e-4 ||
                std::abs(digit - 5) < 1e-4)
        << digit;
  }
}

TEST(NiceTicks, labels_differ) {
  for (const Range range : kRanges) {
    const auto ticks = nice_ticks(range);
    std::set<std::string> labels;
    for (const Tick& tick : ticks) labels.insert(tick.label);
    EXPECT_EQ(labels.size(), ticks.size()) << range.low;
  }
}

TEST(NiceTicks, labels_read_naturally) {
  const auto ticks = nice_ticks({-1, 1}, 4);
  ASSERT_EQ(ticks.size(), 5u);
  EXPECT_EQ(ticks[0].label, "\u22121.0");
  EXPECT_EQ(ticks[2].label, "0");
  EXPECT_EQ(ticks[3].label, "0.5");
}

TEST(NiceTicks, survive_empty_and_infinite_ranges) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const Range range : {Range{}, Range{3, 3}, Range{-inf, inf}, Range{-1e308, 1e308}}) {
    EXPECT_GE(nice_ticks(range).size(), 2u);
    EXPECT_LE(nice_ticks(range).size(), 20u);
  }
}

TEST(LogTicks, are_powers_of_ten_over_a_wide_range) {
  const auto ticks = log_ticks({-3.2, 1.5}, 5);
  ASSERT_EQ(ticks.size(), 5u);
  EXPECT_EQ(ticks[0].at, -3);
  EXPECT_EQ(ticks[0].label, "10⁻³");
  EXPECT_EQ(ticks[2].label, "0.1");
  EXPECT_EQ(ticks[3].label, "1");
  EXPECT_EQ(ticks[4].label, "10");
}

TEST(LogTicks, fill_a_narrow_range_with_round_numbers) {
  const auto ticks = log_ticks({std::log10(1.5), std::log10(60)});
  ASSERT_EQ(ticks.size(), 5u);
  EXPECT_EQ(ticks[0].label, "2");
  EXPECT_EQ(ticks[4].label, "50");
  EXPECT_GE(log_ticks({std::log10(3.1), std::log10(3.9)}).size(), 3u);
}

}  // namespace
}  // namespace eqm::draw
