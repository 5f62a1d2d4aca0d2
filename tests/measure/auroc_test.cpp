#include "eqm/measure/auroc.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

using Scores = std::vector<double>;

// By definition: every pair.
double by_pairs(const Scores& inside, const Scores& outside) {
  double won = 0;
  for (const double in : inside) {
    for (const double out : outside) won += out > in ? 1 : out == in ? 0.5 : 0;
  }
  return won / static_cast<double>(inside.size() * outside.size());
}

TEST(Auroc, is_one_when_all_outside_scores_are_larger_and_zero_when_smaller) {
  EXPECT_EQ(auroc(Scores{1, 2, 3}, Scores{4, 5}), 1);
  EXPECT_EQ(auroc(Scores{4, 5}, Scores{1, 2, 3}), 0);
  EXPECT_EQ(auroc(Scores{-2}, Scores{-1}), 1);
}

TEST(Auroc, counts_ties_half) {
  EXPECT_EQ(auroc(Scores{1}, Scores{1}), 0.5);
  EXPECT_EQ(auroc(Scores{7, 7, 7}, Scores{7, 7}), 0.5);
  EXPECT_EQ(auroc(Scores{1, 2}, Scores{2, 3}), 0.875);
  EXPECT_EQ(auroc(Scores{0.0}, Scores{-0.0}), 0.5);
}

TEST(Auroc, of_a_set_against_itself_is_a_half) {
  EXPECT_EQ(auroc(Scores{5, 1, 3, 3}, Scores{3, 5, 3, 1}), 0.5);
}

// Few different values, so that there are many ties.
RC_GTEST_PROP(Auroc, agrees_with_every_pair_compared, ()) {
  const auto drawn = [] {
    const auto wholes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-6, 7)));
    return Scores(wholes.begin(), wholes.end());
  };
  const Scores inside = drawn(), outside = drawn();
  const double area = auroc(inside, outside);
  RC_ASSERT(area == by_pairs(inside, outside));
  RC_ASSERT(std::abs(area + auroc(outside, inside) - 1) < 1e-15);
}

TEST(Auroc, refuses_empty_sets_and_scores_that_are_not_finite) {
  expect_error(ErrorKind::usage, "both sets", [] { auroc(Scores{}, Scores{1}); });
  expect_error(ErrorKind::usage, "both sets", [] { auroc(Scores{1}, Scores{}); });
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    expect_error(ErrorKind::numeric, "finite", [=] { auroc(Scores{1, bad}, Scores{1}); });
    expect_error(ErrorKind::numeric, "finite", [=] { auroc(Scores{1}, Scores{bad}); });
  }
}

}  // namespace
}  // namespace eqm::test
