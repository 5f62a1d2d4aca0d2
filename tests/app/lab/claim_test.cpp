#include "eqm/app/lab/claim.h"

#include <map>

#include <gtest/gtest.h>

#include "eqm/base/error.h"

namespace eqm::app {
namespace {

MeasuredLookup measured(std::map<std::string, Estimate> known) {
  return [known](const MeasuredName& name) {
    return known.at(name.curve + "[" + name.point + "]" + name.number);
  };
}

Verdict verdict(const std::string& text, std::map<std::string, Estimate> known) {
  return verdict_of(parse_claim(text, "test"), measured(std::move(known)));
}

Estimate near(double value, double reach) {
  return {.value = value, .low = value - reach, .high = value + reach};
}

TEST(Claim, holds_only_beyond_the_interval_of_the_difference) {
  // Two intervals of 3 and 4 make one of 5 for the difference.
  EXPECT_EQ(verdict("a < b", {{"a[]", near(10, 3)}, {"b[]", near(15.1, 4)}}), Verdict::holds);
  EXPECT_EQ(verdict("a < b", {{"a[]", near(10, 3)}, {"b[]", near(14.9, 4)}}), Verdict::undecided);
  EXPECT_EQ(verdict("a < b", {{"a[]", near(10, 3)}, {"b[]", near(5.1, 4)}}), Verdict::undecided);
  EXPECT_EQ(verdict("a < b", {{"a[]", near(10, 3)}, {"b[]", near(4.9, 4)}}), Verdict::fails);
  EXPECT_EQ(verdict("b > a", {{"a[]", near(10, 3)}, {"b[]", near(15.1, 4)}}), Verdict::holds);
}

TEST(Claim, of_several_in_a_row_all_must_hold) {
  const std::map<std::string, Estimate> known = {
      {"a[]", near(1, 0.1)}, {"b[]", near(2, 0.1)}, {"c[]", near(2.05, 0.1)}};
  EXPECT_EQ(verdict("a < b < c", known), Verdict::undecided);
  EXPECT_EQ(verdict("a < b <= 1.2 * c", known), Verdict::holds);
  EXPECT_EQ(verdict("b < a < c", known), Verdict::fails);
}

TEST(Claim, points_numbers_factors_and_constants_are_read) {
  EXPECT_EQ(verdict("gd[20]:right > 0.5 * nag[1e-3]",
                    {{"gd[20]right", near(0.9, 0)}, {"nag[1e-3]", near(1, 0)}}),
            Verdict::holds);
  EXPECT_EQ(verdict("0.4 < a", {{"a[]", near(0.5, 0.01)}}), Verdict::holds);
  EXPECT_EQ(verdict("a < 0.4", {{"a[]", near(0.5, 0.01)}}), Verdict::fails);
  EXPECT_EQ(verdict("truncated-0.8 < 3d", {{"truncated-0.8[]", near(1, 0)}, {"3d[]", near(2, 0)}}),
            Verdict::holds);
}

TEST(Claim, joins_take_the_interval_with_the_value) {
  const std::map<std::string, Estimate> known = {{"a[]", near(4, 1)}, {"b[]", near(2, 0.5)}};
  const auto side = [&](const std::string& text) {
    return value_of(parse_claim(text + " < 9", "test").sides.front(), measured(known));
  };
  EXPECT_DOUBLE_EQ(side("min(a, b)").high, 2.5);
  EXPECT_DOUBLE_EQ(side("max(a, b)").low, 3);
  EXPECT_DOUBLE_EQ(side("2 * mean(a,b)").value, 6);
  EXPECT_DOUBLE_EQ(side("mean(a,b)").half_width(), std::hypot(1, 0.5) / 2);
  EXPECT_DOUBLE_EQ(side("spread(a, b)").value, 2);
}

TEST(Claim, text_that_is_no_inequality_is_refused) {
  for (const char* text :
       {"", "a", "a <", "< b", "a = b", "min(a, b", "a[1 < b", "2 * < b", "a < b c"}) {
    EXPECT_THROW(parse_claim(text, "test"), Error) << text;
  }
}

TEST(Estimate, means_over_seeds_count_what_differs_between_them) {
  const std::vector<Estimate> same = {near(5, 1), near(5, 1), near(5, 1), near(5, 1)};
  EXPECT_DOUBLE_EQ(mean_estimate(same).half_width(), 0.5);
  const std::vector<Estimate> apart = {near(4, 0), near(6, 0)};
  EXPECT_DOUBLE_EQ(mean_estimate(apart).value, 5);
  EXPECT_NEAR(mean_estimate(apart).half_width(), 6.314, 1e-9);
}

TEST(Estimate, shares_stay_within_0_and_1) {
  EXPECT_DOUBLE_EQ(share_estimate(0, 10).low, 0);
  EXPECT_GT(share_estimate(0, 10).high, 0.1);
  EXPECT_DOUBLE_EQ(share_estimate(1, 10).high, 1);
  EXPECT_NEAR(share_estimate(0.5, 10000).half_width(), 1.645 * 0.005, 1e-5);
}

}  // namespace
}  // namespace eqm::app
