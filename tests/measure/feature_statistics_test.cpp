// Inception score, kernel distance, precision, recall, density and coverage against golden values.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/data/memory_source.h"
#include "eqm/measure/inception_score.h"
#include "eqm/measure/kernel_distance.h"
#include "eqm/measure/manifold.h"
#include "eqm/measure/set_evaluation.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/golden_folder.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

struct GoldenMetrics {
  SafetensorsFile file;
  nlohmann::json expected;
};

std::vector<GoldenMetrics> golden_metrics() {
  std::vector<GoldenMetrics> all;
  for (const auto& path : golden_files("nets/metrics")) {
    std::ifstream stream(path.parent_path() / (path.stem().string() + "_expected.json"));
    all.push_back({SafetensorsFile::open(path), nlohmann::json::parse(stream)});
  }
  EXPECT_FALSE(all.empty());
  return all;
}

TEST(InceptionScore, agrees_with_golden_values) {
  for (const GoldenMetrics& golden : golden_metrics()) {
    const Tensor probabilities = read_tensor(golden.file, "is.probs");
    for (const auto& [name, values] : golden.expected.at("inception_score").items()) {
      const int64_t part = std::stoll(name.substr(std::string("split_size_").size()));
      EXPECT_NEAR(inception_score(probabilities, part),
                  values.at("inception_score_f64").get<double>(), 1e-6)
          << name;
    }
  }
}

TEST(InceptionScore, is_one_for_the_unsure_and_the_number_of_classes_for_the_sure) {
  EXPECT_NEAR(inception_score(torch::full({50, 4}, 0.25)), 1, 1e-12);
  EXPECT_NEAR(inception_score(torch::eye(4).repeat({5, 1})), 4, 1e-12) << "zeros are no NaN";
  expect_error(ErrorKind::usage, "no predictions", [] { inception_score(torch::empty({0, 4})); });
}

TEST(KernelDistance, agrees_with_golden_values) {
  for (const GoldenMetrics& golden : golden_metrics()) {
    const Tensor a = read_tensor(golden.file, "kid.feat1"),
                 b = read_tensor(golden.file, "kid.feat2");
    const nlohmann::json& expected = golden.expected.at("kid");
    EXPECT_NEAR(kernel_distance(a, b), expected.at("full_unbiased_unequal_sizes_f64").get<double>(),
                1e-10);
    const Tensor first = read_tensor(golden.file, "kid.index1"),
                 second = read_tensor(golden.file, "kid.index2");
    for (int64_t i = 0; i < first.size(0); ++i) {
      EXPECT_NEAR(kernel_distance(a.index_select(0, first[i]), b.index_select(0, second[i])),
                  expected.at("per_subset_f64").at(static_cast<size_t>(i)).get<double>(), 1e-10)
          << i;
    }
  }
}

TEST(KernelDistance, of_subsets_is_near_the_whole_and_repeats_itself) {
  const Tensor a = normal(1, 400, 5), b = normal(2, 300, 5) + 0.3;
  const double whole = kernel_distance(a, b);
  const Spread spread = kernel_distance_of_subsets(a, b, 30, 100, 7);
  EXPECT_NEAR(spread.mean, whole, 3 * spread.deviation / std::sqrt(30.0) + 0.02);
  EXPECT_GT(spread.deviation, 0);
  EXPECT_EQ(kernel_distance_of_subsets(a, b, 30, 100, 7).mean, spread.mean);
  const Spread all = kernel_distance_of_subsets(a, b, 3, 1000, 7);
  EXPECT_NEAR(all.mean, whole, 1e-12) << "smaller sets are taken whole";
  expect_error(ErrorKind::usage, "two examples", [&] { kernel_distance(a, b.narrow(0, 0, 1)); });
  expect_input_error("features of 5 numbers beside features of 4",
                     [&] { kernel_distance(a, normal(3, 9, 4)); });
}

TEST(Manifold, agrees_with_golden_values) {
  for (const GoldenMetrics& golden : golden_metrics()) {
    for (const auto& [name, values] : golden.expected.at("prdc").items()) {
      SCOPED_TRACE(name);
      const Tensor real = read_tensor(golden.file, "pr." + name + ".ref"),
                   samples = read_tensor(golden.file, "pr." + name + ".sample");
      EXPECT_TRUE(close(squared_radii(real, 3),
                        read_tensor(golden.file, "pr." + name + ".radius_sq_ref_k3"), 1e-12));
      const ManifoldScores three = manifold_scores(real, samples, 3);
      EXPECT_EQ(three.precision, values.at("adm_k3_f64").at("precision").get<double>());
      EXPECT_EQ(three.recall, values.at("adm_k3_f64").at("recall").get<double>());
      for (const int64_t k : {3, 5}) {
        const ManifoldScores scores = manifold_scores(real, samples, k);
        const nlohmann::json& expected = values.at("prdc_k" + std::to_string(k));
        EXPECT_NEAR(scores.density, expected.at("density").get<double>(), 1e-12);
        EXPECT_NEAR(scores.coverage, expected.at("coverage").get<double>(), 1e-12);
      }
    }
  }
}

TEST(Manifold, tells_sets_apart_in_their_own_ways) {
  const Tensor real = normal(1, 1500, 3);  // more rows than are compared at once
  const ManifoldScores same = manifold_scores(real, normal(2, 1200, 3));
  EXPECT_GT(same.precision, 0.9);
  EXPECT_GT(same.coverage, 0.75);
  EXPECT_NEAR(same.density, 1, 0.15);
  const ManifoldScores narrow = manifold_scores(real, 0.1 * normal(3, 1200, 3));
  EXPECT_GT(narrow.precision, 0.95) << "every sample is like a real one";
  EXPECT_LT(narrow.recall, 0.3) << "most real ones have no sample like them";
  const ManifoldScores far = manifold_scores(real, normal(4, 50, 3) + 100);
  EXPECT_EQ(far.precision, 0);
  EXPECT_EQ(far.coverage, 0);
  expect_error(ErrorKind::usage, "3-th nearest", [&] { manifold_scores(real, normal(5, 3, 3)); });
  expect_input_error("beside features of", [&] { manifold_scores(real, normal(5, 9, 4)); });
  expect_error(ErrorKind::numeric, "not a finite number",
               [&] { manifold_scores(real, normal(5, 9, 3) / 0); });
}

TEST(SetEvaluation, of_a_set_beside_itself_is_as_good_as_can_be_and_worse_when_it_moves) {
  const auto set_of = [](const Tensor& features) {
    const Tensor labels = torch::arange(features.size(0)).remainder(3);
    return FeatureSet{.features = features.to(torch::kFloat32),
                      .spatial = {},
                      .probabilities = torch::eye(3).index_select(0, labels),
                      .labels = labels,
                      .asked = labels};
  };
  const FeatureSet real = set_of(normal(1, 300, 4)), moved = set_of(normal(1, 300, 4) + 1);
  const Reference reference = reference_of(real);
  const Evaluation same = evaluate(real, reference), worse = evaluate(moved, reference);
  EXPECT_EQ(same.count, 300);
  EXPECT_NEAR(same.distance, 0, 1e-9);
  EXPECT_NEAR(worse.distance, 4, 1e-5) << "one in each of four directions";
  for (const Evaluation& e : {same, worse}) {
    EXPECT_LE(e.distance_range.low, e.distance);
    EXPECT_GE(e.distance_range.high, e.distance);
    EXPECT_NEAR(e.inception_score, 3, 1e-6);
    EXPECT_EQ(e.accuracy, 1);
  }
  EXPECT_EQ(same.manifold->precision, 1);
  EXPECT_LT(worse.manifold->coverage, same.manifold->coverage);
  EXPECT_GT(worse.kernel_distance->mean, same.kernel_distance->mean);
  const Nearest nearest = nearest_features(real.features, real.features);
  EXPECT_NEAR(nearest.distances.max().item<double>(), 0, 1e-6);
  EXPECT_TRUE(torch::equal(nearest.places, torch::arange(300)));
}

// Features about a centre for each class, and a classifier that is nearly sure of it.
FeatureSet classes_in_turn(uint64_t seed, int64_t count, int64_t classes) {
  const Tensor labels = torch::arange(count).remainder(classes);
  const Tensor centres = 6 * normal(99, classes, 5).to(torch::kFloat32);
  return {.features = centres.index_select(0, labels) + normal(seed, count, 5).to(torch::kFloat32),
          .spatial = {},
          .probabilities = 0.99 * torch::eye(classes).index_select(0, labels) +
                           0.01 / static_cast<double>(classes),
          .labels = labels,
          .asked = labels};
}

FeatureSet in_order(const FeatureSet& set, const Tensor& order) {
  const auto moved = [&](const Tensor& rows) {
    return rows.defined() ? rows.index_select(0, order) : rows;
  };
  return {.features = moved(set.features),
          .spatial = {},
          .probabilities = moved(set.probabilities),
          .labels = moved(set.labels),
          .asked = moved(set.asked),
          .keys = moved(set.keys)};
}

void expect_equal(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(a.distance, b.distance);
  EXPECT_EQ(a.distance_range.low, b.distance_range.low);
  EXPECT_EQ(a.distance_range.high, b.distance_range.high);
  EXPECT_EQ(a.inception_score, b.inception_score);
  EXPECT_EQ(a.kernel_distance->mean, b.kernel_distance->mean);
  EXPECT_EQ(a.kernel_distance->deviation, b.kernel_distance->deviation);
  EXPECT_EQ(a.manifold->precision, b.manifold->precision);
  EXPECT_EQ(a.manifold->recall, b.manifold->recall);
  EXPECT_EQ(a.manifold->density, b.manifold->density);
  EXPECT_EQ(a.manifold->coverage, b.manifold->coverage);
  EXPECT_EQ(a.accuracy, b.accuracy);
}

// Sorted by class, in turn and in any other order; by the features, and by keys of pictures.
TEST(SetEvaluation, does_not_depend_on_the_order_of_either_set) {
  FeatureSet set = classes_in_turn(1, 600, 10), real = classes_in_turn(2, 800, 10);
  const EvaluationOptions options = {.resamplings = 5,
                                     .kernel_subsets = 4,
                                     .kernel_size = 100,
                                     .score_part = 100,
                                     .manifold_rows = 60};
  for (const bool keyed : {false, true}) {
    if (keyed) {
      set.keys = torch::arange(600).remainder(500);  // some are there twice
      for (Tensor* rows : {&set.features, &set.probabilities, &set.labels, &set.asked}) {
        *rows = rows->index_select(0, set.keys);
      }
      real.keys = torch::arange(800);
    }
    const Reference reference = reference_of(real);
    const Evaluation expected = evaluate(set, reference, options);
    for (const Tensor& order : {set.labels.argsort(), torch::arange(600).flip(0),
                                normal(5, 600, 1).flatten().argsort()}) {
      expect_equal(evaluate(in_order(set, order), reference, options), expected);
    }
    Reference other = reference_of(in_order(real, real.labels.argsort()));
    other.features = reference.features;  // the same but for rounding
    expect_equal(evaluate(set, other, options), expected);
  }
}

// Ten classes that a classifier is sure of: each part must show all of them, and so must the rows
// that are chosen, whichever stride would be in step with the classes.
TEST(SetEvaluation, parts_and_chosen_rows_are_like_the_whole_set) {
  const FeatureSet set = classes_in_turn(1, 1000, 10), sorted = in_order(set, set.labels.argsort());
  EvaluationOptions options = {
      .resamplings = 0, .kernel_subsets = 1, .kernel_size = 100, .score_part = 500};
  const Reference reference = reference_of(classes_in_turn(2, 1000, 10));
  for (const int64_t rows : {100, 200, 500}) {
    options.manifold_rows = rows;
    for (const FeatureSet* given : {&set, &sorted}) {
      const Evaluation e = evaluate(*given, reference, options);
      EXPECT_GT(e.inception_score, 9) << "of 9.5 with all in one part";
      EXPECT_GT(e.manifold->recall, 0.75) << rows << ": no class is missing";
      EXPECT_GT(e.manifold->coverage, 0.6) << rows;
    }
  }
  options.manifold_rows = 0;
  const ManifoldScores all = *evaluate(set, reference, options).manifold;
  const ManifoldScores expected = manifold_scores(reference.rows, set.features, 3);
  EXPECT_NEAR(all.precision, expected.precision, 1e-12) << "all rows of both";
  EXPECT_NEAR(all.recall, expected.recall, 1e-12);
}

// Sees class 1 in pictures that are not black, and calls its classes by name, or not.
class BlackOrNot final : public FeatureNet {
 public:
  explicit BlackOrNot(std::vector<std::string> names) : names_(std::move(names)) {}
  int64_t at_once() const override { return 2; }
  std::optional<Shape> picture_shape() const override { return Shape{1, 1, 1}; }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::string identity() const override { return "black or not"; }

 protected:
  Opinion look(const Tensor& pixels) const override {
    const Tensor features = pixels.flatten(1).to(torch::kFloat32);
    const Tensor labels = (features.squeeze(1) > 0).to(torch::kInt64);
    return {.features = features,
            .spatial = {},
            .probabilities = torch::eye(2).index_select(0, labels),
            .labels = labels};
  }

 private:
  std::vector<std::string> names_;
};

// Folders sort their classes by name, and need not know all of those of a classifier.
TEST(FeatureSet, has_the_labels_of_pictures_as_the_network_numbers_them) {
  const auto asked = [](const std::vector<std::string>& own,
                        const std::vector<std::string>& known) {
    std::vector<Example> examples;
    for (const int64_t label : {0, 0, 1}) {
      examples.push_back({.dtype = Dtype::u8,
                          .shape = {1, 1, 1},
                          .bytes = {std::byte(label == 0 ? 200 : 0)},
                          .label = label});
    }
    const SourcePtr pictures = memory_source(std::move(examples), own, "picture");
    return features_of(BlackOrNot(known), *pictures, {})->asked;
  };
  const Tensor swapped = torch::tensor({1, 1, 0}, torch::kInt64);
  EXPECT_TRUE(torch::equal(asked({"day", "night"}, {"night", "day"}), swapped));
  EXPECT_TRUE(torch::equal(asked({"1", "0"}, {"night", "day"}), swapped)) << "by number";
  EXPECT_TRUE(torch::equal(asked({"01", "00"}, {}), swapped)) << "of a network without names";
  EXPECT_TRUE(torch::equal(asked({}, {"night", "day"}), 1 - swapped)) << "as they are";
  EXPECT_FALSE(asked({"day", "dawn"}, {"night", "day"}).defined());
}

TEST(SetEvaluation, leaves_out_what_statistics_alone_cannot_tell) {
  const auto set_of = [](const Tensor& features) {
    FeatureSet set = {.features = features.to(torch::kFloat32),
                      .spatial = {},
                      .probabilities = torch::full({features.size(0), 2}, 0.5),
                      .labels = {},
                      .asked = {}};
    set.spatial.add(features.narrow(1, 0, 2));
    return set;
  };
  const FeatureSet real = set_of(normal(1, 300, 4)), moved = set_of(normal(1, 300, 4) + 1);
  const Reference whole = reference_of(real);
  const Reference known = {.features = whole.features, .spatial = whole.spatial};
  const Evaluation less = evaluate(moved, known), all = evaluate(moved, whole);
  EXPECT_EQ(less.distance, all.distance);
  ASSERT_TRUE(less.spatial_distance);
  EXPECT_NEAR(*less.spatial_distance, 2, 1e-5) << "one in each of two directions";
  EXPECT_FALSE(less.kernel_distance || less.manifold || less.accuracy);
  EXPECT_TRUE(all.kernel_distance && all.manifold);
  const Reference plain = {.features = whole.features};
  EXPECT_FALSE(evaluate(moved, plain).spatial_distance);
}

}  // namespace
}  // namespace eqm::test
