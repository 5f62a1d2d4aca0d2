#include "eqm/measure/detection.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "eqm/measure/auroc.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/golden_folder.h"

namespace eqm::test {
namespace {

using Numbers = std::vector<double>;

double share_at_least(const Numbers& scores, double threshold) {
  const auto count = std::ranges::count_if(scores, [=](double s) { return s >= threshold; });
  return static_cast<double>(count) / static_cast<double>(scores.size());
}

// By the definitions: every threshold that is a score, from the largest down.
Separation by_thresholds(const Numbers& inside, const Numbers& outside) {
  Numbers thresholds = inside;
  thresholds.insert(thresholds.end(), outside.begin(), outside.end());
  std::ranges::sort(thresholds, std::greater());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  Separation result = {.auroc = 0, .aupr = 0, .fpr95 = -1};
  double last_recall = 0, last_false = 0;
  for (const double threshold : thresholds) {
    const double recall = share_at_least(outside, threshold);
    const double wrong = share_at_least(inside, threshold);
    const double found = recall * static_cast<double>(outside.size());
    const double all = found + wrong * static_cast<double>(inside.size());
    result.aupr += (recall - last_recall) * found / all;
    result.auroc += (wrong - last_false) * (recall + last_recall) / 2;
    if (result.fpr95 < 0 && recall >= 0.95 - 1e-12) result.fpr95 = wrong;
    last_recall = recall;
    last_false = wrong;
  }
  return result;
}

Numbers normal_scores(uint32_t seed, size_t count, double shift) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(shift);
  Numbers scores(count);
  for (double& score : scores) score = normal(random);
  return scores;
}

TEST(Detection, of_cases_worked_by_hand) {
  // Descending: 5 out, 4 in, 3 out, 2 in.
  const Separation mixed = separation(Numbers{4, 2}, Numbers{3, 5});
  EXPECT_EQ(mixed.auroc, 0.75);
  EXPECT_NEAR(mixed.aupr, 0.5 * 1 + 0.5 * 2 / 3.0, 1e-15);
  EXPECT_EQ(mixed.fpr95, 0.5);
  const Separation perfect = separation(Numbers{1, 2, 3}, Numbers{4, 5});
  EXPECT_EQ(perfect.auroc, 1);
  EXPECT_EQ(perfect.aupr, 1);
  EXPECT_EQ(perfect.fpr95, 0);
  const Separation reversed = separation(Numbers{4, 5}, Numbers{1});
  EXPECT_EQ(reversed.auroc, 0);
  EXPECT_NEAR(reversed.aupr, 1 / 3.0, 1e-15);
  EXPECT_EQ(reversed.fpr95, 1);
  const Separation tied = separation(Numbers{7, 7, 7}, Numbers{7});
  EXPECT_EQ(tied.auroc, 0.5);
  EXPECT_EQ(tied.aupr, 0.25) << "the share of outside examples";
  EXPECT_EQ(tied.fpr95, 1);
}

TEST(Detection, takes_the_highest_threshold_that_95_percent_reach) {
  Numbers outside(20), inside;
  for (size_t i = 0; i < outside.size(); ++i) outside[i] = static_cast<double>(i);
  for (int i = 0; i < 10; ++i) inside.push_back(i < 4 ? 0.5 : i < 7 ? 1 : 1.5);
  EXPECT_EQ(separation(inside, outside).fpr95, 0.6) << "19 of 20 have 1 or more";
}

RC_GTEST_PROP(Detection, agrees_with_every_threshold_tried, ()) {
  const auto drawn = [] {
    const auto wholes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-6, 7)));
    return Numbers(wholes.begin(), wholes.end());
  };
  const Numbers inside = drawn(), outside = drawn();
  const Separation ours = separation(inside, outside), plain = by_thresholds(inside, outside);
  RC_ASSERT(std::abs(ours.auroc - plain.auroc) < 1e-12);
  RC_ASSERT(std::abs(ours.aupr - plain.aupr) < 1e-12);
  RC_ASSERT(std::abs(ours.fpr95 - plain.fpr95) < 1e-12);
  RC_ASSERT(ours.auroc == auroc(inside, outside));
}

TEST(Detection, agrees_with_golden_areas) {
  int compared = 0;
  for (const auto& path : golden_files("nets/metrics")) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    std::ifstream stream(path.parent_path() / (path.stem().string() + "_expected.json"));
    const nlohmann::json areas = nlohmann::json::parse(stream).at("auroc");
    for (const auto& [name, area] : areas.items()) {
      const Tensor scores = read_tensor(file, "auroc." + name + ".score").to(torch::kFloat64);
      const Tensor labels = read_tensor(file, "auroc." + name + ".label").to(torch::kInt64);
      Numbers inside, outside;
      for (int64_t i = 0; i < scores.size(0); ++i) {
        (labels[i].item<int64_t>() == 1 ? outside : inside).push_back(scores[i].item<double>());
      }
      EXPECT_NEAR(separation(inside, outside).auroc, area.get<double>(), 1e-12) << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

TEST(Detection, has_ranges_around_its_values_that_shrink_with_the_sets) {
  const auto width = [](size_t count) {
    const DetectionReport report =
        detect(normal_scores(1, count, 0), {normal_scores(2, count, 0.7)});
    const Detection& one = report.sets.at(0);
    for (const RangedValue& value : {one.auroc, one.aupr, one.fpr95}) {
      EXPECT_LT(value.range.low, value.value);
      EXPECT_GT(value.range.high, value.value);
    }
    EXPECT_EQ(report.average.auroc.value, one.auroc.value);
    EXPECT_EQ(report.average.auroc.range.low, one.auroc.range.low);
    return one.auroc.range.high - one.auroc.range.low;
  };
  const double wide = width(100), narrow = width(1600);
  EXPECT_NEAR(wide / narrow, 4, 1) << "as one over the root of the size";
}

// The standard error of an AUROC of 1/2 is sqrt((n + m + 1) / (12 n m)).
TEST(Detection, has_a_range_of_the_area_as_wide_as_theory_says) {
  constexpr size_t kCount = 500;
  const Detection one =
      detect(normal_scores(3, kCount, 0), {normal_scores(4, kCount, 0)}).sets.at(0);
  const double deviation = std::sqrt((2 * kCount + 1) / (12.0 * kCount * kCount));
  EXPECT_NEAR((one.auroc.range.high - one.auroc.range.low) / (2 * 1.645 * deviation), 1, 0.15);
}

TEST(Detection, does_not_depend_on_the_order_of_scores) {
  Numbers inside = normal_scores(5, 60, 0), outside = normal_scores(6, 40, 1);
  const DetectionReport before = detect(inside, {outside, inside});
  std::ranges::reverse(inside);
  std::ranges::rotate(outside, outside.begin() + 7);
  const DetectionReport after = detect(inside, {outside, inside});
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(before.sets[i].auroc.range.low, after.sets[i].auroc.range.low);
    EXPECT_EQ(before.sets[i].aupr.range.high, after.sets[i].aupr.range.high);
    EXPECT_EQ(before.sets[i].fpr95.range.high, after.sets[i].fpr95.range.high);
  }
  EXPECT_EQ(before.average.auroc.range.low, after.average.auroc.range.low);
}

TEST(Detection, averages_over_sets) {
  const DetectionReport report =
      detect(normal_scores(7, 300, 0), {normal_scores(8, 200, 2), normal_scores(9, 100, -2)});
  const RangedValue& average = report.average.auroc;
  EXPECT_NEAR(average.value, (report.sets[0].auroc.value + report.sets[1].auroc.value) / 2, 1e-15);
  EXPECT_LT(average.range.low, average.value);
  EXPECT_GT(average.range.high, average.value);
}

TEST(Detection, of_sets_that_are_far_apart_has_a_range_of_one_point) {
  const Detection one = detect({1, 2, 3}, {{7, 8}}).sets.at(0);
  EXPECT_EQ(one.auroc.range.low, 1);
  EXPECT_EQ(one.auroc.range.high, 1);
  EXPECT_EQ(one.fpr95.range.high, 0);
}

TEST(Detection, refuses_empty_sets_and_scores_that_are_not_finite) {
  expect_error(ErrorKind::usage, "both sets", [] { separation(Numbers{}, Numbers{1}); });
  expect_error(ErrorKind::usage, "both sets", [] { separation(Numbers{1}, Numbers{}); });
  expect_error(ErrorKind::usage, "another set", [] { detect({1}, {}); });
  expect_error(ErrorKind::usage, "resampling", [] { detect({1}, {{1}}, {.resamplings = 0}); });
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    expect_error(ErrorKind::numeric, "finite", [=] { separation(Numbers{1, bad}, Numbers{1}); });
    expect_error(ErrorKind::numeric, "finite", [=] { detect({1}, {{bad}}); });
  }
}

}  // namespace
}  // namespace eqm::test
