#include "eqm/base/sparkline.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace eqm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMost = std::numeric_limits<double>::max();
using Values = std::vector<double>;

TEST(Sparkline, climbs_from_the_lowest_to_the_highest_bar) {
  EXPECT_EQ(sparkline(Values{0, 1, 2, 3, 4, 5, 6, 7}, 8), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline(Values{5, -5}, 8), "█▁");
}

TEST(Sparkline, shows_each_part_of_a_long_series_by_its_mean) {
  EXPECT_EQ(sparkline(Values{0, 0, 10, -10, 7, 7, 3.5, 3.5}, 4), "▁▁█▅");
  EXPECT_EQ(sparkline(Values{0, 0, 0, 9, 9}, 2), "▁█");  // parts of 2 and 3, means 0 and 6
  EXPECT_EQ(sparkline(Values(100'000, 1.0), 3), "▄▄▄");
}

TEST(Sparkline, has_no_more_bars_than_values) {
  EXPECT_EQ(sparkline(Values{1, 2, 3}, 40), "▁▅█");
  EXPECT_EQ(sparkline(Values{1}, 40), "▄");
  EXPECT_EQ(sparkline(Values{1, 2, 3}, 0), "");
  EXPECT_EQ(sparkline(Values{}, 40), "");
}

TEST(Sparkline, is_a_line_of_middle_height_for_a_constant) {
  EXPECT_EQ(sparkline(Values{3, 3, 3}, 8), "▄▄▄");
  EXPECT_EQ(sparkline(Values{kMost, kMost}, 8), "▄▄");
}

TEST(Sparkline, leaves_out_what_is_not_finite) {
  EXPECT_EQ(sparkline(Values{0, kNan, 7}, 3), "▁ █");
  EXPECT_EQ(sparkline(Values{0, kInf, -kInf, 7}, 2), "▁█");
  EXPECT_EQ(sparkline(Values{kNan, kInf}, 2), "");
}

TEST(Sparkline, spans_all_finite_numbers) {
  EXPECT_EQ(sparkline(Values{-kMost, 0, kMost}, 3), "▁▅█");
  EXPECT_EQ(sparkline(Values{kMost, kMost, -kMost, -kMost}, 2), "█▁");
  EXPECT_EQ(sparkline(Values{0, std::numeric_limits<double>::denorm_min()}, 2), "▁█");
}

RC_GTEST_PROP(Sparkline, fills_its_width_with_bars_of_three_bytes,
              (const std::vector<int>& numbers, uint8_t width)) {
  const Values values(numbers.begin(), numbers.end());
  RC_ASSERT(sparkline(values, width).size() == 3 * std::min<size_t>(width, values.size()));
}

}  // namespace
}  // namespace eqm
