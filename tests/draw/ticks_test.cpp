#include "eqm/draw/ticks.h"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace eqm::draw {
namespace {

// Those with a number.
std::vector<Tick> labelled(std::vector<Tick> ticks) {
  std::erase_if(ticks, [](const Tick& tick) { return tick.label.empty(); });
  return ticks;
}

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
  const auto ticks = labelled(log_ticks({-3.2, 1.5}, 5));
  ASSERT_EQ(ticks.size(), 5u);
  EXPECT_EQ(ticks[0].at, -3);
  EXPECT_EQ(ticks[0].label, "10⁻³");
  EXPECT_EQ(ticks[2].label, "0.1");
  EXPECT_EQ(ticks[3].label, "1");
  EXPECT_EQ(ticks[4].label, "10");
}

TEST(LogTicks, fill_a_narrow_range_with_round_numbers) {
  const auto ticks = labelled(log_ticks({std::log10(1.5), std::log10(60)}));
  ASSERT_EQ(ticks.size(), 5u);
  EXPECT_EQ(ticks[0].label, "2");
  EXPECT_EQ(ticks[4].label, "50");
  EXPECT_GE(log_ticks({std::log10(3.1), std::log10(3.9)}).size(), 3u);
}

TEST(LogTicks, are_as_many_as_there_is_room_for) {
  for (const int about : {3, 5, 8}) {
    for (const double width : {0.05, 0.2, 0.6, 1.0, 1.7, 2.4, 3.3, 5.0, 9.0, 40.0}) {
      for (const double low : {-12.3, -0.4, 1.6}) {
        const auto ticks = labelled(log_ticks({low, low + width}, about));
        EXPECT_GE(ticks.size(), 2u) << low << " " << width << " " << about;
        EXPECT_LE(ticks.size(), 2u * static_cast<std::size_t>(about) + 3) << low << " " << width;
        for (std::size_t k = 1; k < ticks.size(); ++k) {
          EXPECT_LT(ticks[k - 1].at, ticks[k].at);
          EXPECT_NE(ticks[k - 1].label, ticks[k].label);
        }
      }
    }
  }
}

TEST(LogTicks, have_small_marks_between_a_few_powers_of_ten) {
  const auto few = log_ticks({0, 3}, 5);
  EXPECT_EQ(few.size(), 28u);  // 1 to 9, three times, and 1000
  EXPECT_EQ(labelled(few).size(), 4u);
  EXPECT_EQ(log_ticks({0, 30}, 5).size(), labelled(log_ticks({0, 30}, 5)).size());
}

TEST(NiceRule, of_whole_numbers_has_no_half_steps) {
  const auto ticks = nice_rule({0, 2}, 8, Numbers::whole)({0, 2});
  ASSERT_EQ(ticks.size(), 3u);
  EXPECT_EQ(ticks[1].label, "1");
}

TEST(NiceRule, continues_its_spacing_beyond_the_range) {
  const TickRule rule = nice_rule({0.1, 0.9}, 4);
  const auto ticks = rule({-1, 2});
  EXPECT_NEAR(ticks.front().at, -1, 1e-12);
  EXPECT_NEAR(ticks[1].at, -0.8, 1e-12);
  EXPECT_NEAR(ticks.back().at, 2, 1e-12);
}

TEST(NiceTicks, share_one_power_of_ten) {
  const auto small = nice_ticks({0, 8e-9}, 4);
  ASSERT_EQ(small.size(), 5u);
  EXPECT_EQ(small[0].label, "0");
  EXPECT_EQ(small[1].label, "2×10⁻⁹");
  const auto large = nice_ticks({0, 3e7}, 6);
  EXPECT_EQ(large[1].label, "0.5×10⁷");
  EXPECT_EQ(large.back().label, "3.0×10⁷");
}

TEST(TicksAt, are_the_values_themselves) {
  const std::vector<double> values{0.0025, 64, 1e-7, -2};
  const auto ticks = ticks_at(values);
  ASSERT_EQ(ticks.size(), 4u);
  EXPECT_EQ(ticks[0].label, "0.0025");
  EXPECT_EQ(ticks[1].label, "64");
  EXPECT_EQ(ticks[2].label, "1×10⁻⁷");
  EXPECT_EQ(ticks[3].label, "\u22122");
  const std::vector<double> long_ones{14, 13.97531};
  EXPECT_TRUE(ticks_at(long_ones).empty());
}

}  // namespace
}  // namespace eqm::draw
