#include "eqm/measure/typicality.h"

#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "eqm/measure/detection.h"
#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

std::vector<double> wholes(int first, int last) {
  std::vector<double> numbers(static_cast<size_t>(last - first + 1));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

TEST(Typicality, is_zero_at_the_median_and_one_at_either_quantile) {
  const Typicality typicality(wholes(0, 100));
  EXPECT_EQ(typicality(50), 0);
  EXPECT_NEAR(typicality(5), 1, 1e-12);
  EXPECT_NEAR(typicality(95), 1, 1e-12);
  EXPECT_NEAR(typicality(-40), 2, 1e-12);
  EXPECT_NEAR(typicality(140), 2, 1e-12);
}

TEST(Typicality, has_a_unit_for_each_side) {
  std::vector<double> skewed = wholes(0, 100);
  for (double& score : skewed) score = score > 50 ? 50 + 10 * (score - 50) : score;
  const Typicality typicality(skewed);
  EXPECT_NEAR(typicality(5), 1, 1e-12);
  EXPECT_NEAR(typicality(500), 1, 1e-12);
}

// Of scores below all data and above all data, a plain score finds only the latter.
TEST(Typicality, finds_what_is_too_simple_and_what_is_too_far) {
  const std::vector<double> data = wholes(100, 140), low = wholes(20, 40), high = wholes(300, 320);
  const Typicality typicality(wholes(99, 141));
  EXPECT_EQ(separation(data, low).auroc, 0);
  EXPECT_EQ(separation(typicality(data), typicality(low)).auroc, 1);
  EXPECT_EQ(separation(typicality(data), typicality(high)).auroc, 1);
}

TEST(Typicality, of_a_side_without_spread_takes_the_unit_of_the_other) {
  std::vector<double> scores(60, 3.0);
  for (int i = 0; i < 20; ++i) scores.push_back(4 + i);
  const Typicality typicality(scores);
  EXPECT_EQ(typicality(3), 0);
  EXPECT_GT(typicality(2), 0);
  EXPECT_NEAR(typicality(2), typicality(4), 1e-12);
}

TEST(Typicality, refuses_references_that_show_nothing) {
  expect_error(ErrorKind::usage, "20 reference scores", [] { Typicality{wholes(1, 19)}; });
  expect_error(ErrorKind::numeric, "none is atypical",
               [] { Typicality{std::vector<double>(30, 2.5)}; });
  std::vector<double> bad(30, 1.0);
  bad[7] = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorKind::numeric, "finite", [&] { Typicality{bad}; });
}

}  // namespace
}  // namespace eqm::test
