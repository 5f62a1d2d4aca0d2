#include "eqm/landscape/terms.h"

#include <cmath>

#include <gtest/gtest.h>

#include "eqm/landscape/model.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"
#include "tests/support/weighted_gradient.h"

namespace eqm::test {
namespace {

constexpr double kExact = 1e-13;

struct Setting {
  LearnedField field{model_of(small_sit(), ObjectiveKind::eqm)};
  Tensor x = normal(1, 3, {2, 4, 4});
  Tensor labels = torch::tensor({0, 1, 2}, torch::kInt64);

  Tensor at(const Tensor& some_labels) const {
    return field.gradient(x, {.labels = some_labels, .time = {}});
  }
  Tensor unlabelled() const { return field.gradient(x, {}); }
  Tensor guided(double scale) const {
    return weighted_gradient(
        field, x, terms_for(labels, [&](int64_t label) { return guidance(label, scale); }));
  }
};

TEST(Guidance, scale_one_is_the_label_and_zero_is_no_label) {
  const Setting s;
  EXPECT_TRUE(close(s.guided(1), s.at(s.labels), kExact));
  EXPECT_TRUE(close(s.guided(0), s.unlabelled(), kExact));
  EXPECT_FALSE(close(s.guided(1), s.unlabelled(), 1e-3));
}

TEST(Guidance, is_linear_in_the_scale) {
  const Setting s;
  const Tensor plain = s.unlabelled(), labelled = s.at(s.labels);
  for (const double scale : {-1.0, 0.5, 1.5, 4.0}) {
    EXPECT_TRUE(close(s.guided(scale), plain + scale * (labelled - plain), kExact)) << scale;
  }
}

TEST(Guidance, on_first_channels_leaves_the_others_to_the_label) {
  SitConfig config = small_sit_config();
  config.in_channels = 5;
  const LearnedField field(model_of(small_sit(config), ObjectiveKind::eqm));
  const Tensor x = normal(2, 2, {5, 4, 4});
  const Tensor labels = torch::tensor({2, 0}, torch::kInt64);
  const auto guided = [&](GuidedChannels channels) {
    return weighted_gradient(
        field, x, terms_for(labels, [&](int64_t label) { return guidance(label, 3.0, channels); }));
  };
  const Tensor some = guided(GuidedChannels::first_three);
  EXPECT_TRUE(close(some.narrow(1, 0, 3), guided(GuidedChannels::all).narrow(1, 0, 3), kExact));
  const Tensor labelled = field.gradient(x, {.labels = labels, .time = {}});
  EXPECT_TRUE(close(some.narrow(1, 3, 2), labelled.narrow(1, 3, 2), kExact));
}

TEST(Guidance, on_first_channels_of_a_state_without_others_guides_all) {
  const Setting s;  // two channels
  const auto terms = terms_for(
      s.labels, [](int64_t label) { return guidance(label, 2.0, GuidedChannels::first_three); });
  EXPECT_TRUE(close(weighted_gradient(s.field, s.x, terms), s.guided(2), kExact));
}

TEST(Composition, is_the_sum_of_the_labels_gradients) {
  const Setting s;
  const Tensor others = torch::tensor({1, 1, 0}, torch::kInt64);
  const std::vector<Terms> terms = {composition({0, 1, 0}), composition({1, 1, 1}),
                                    composition({2, 0, 2})};
  EXPECT_TRUE(
      close(weighted_gradient(s.field, s.x, terms), 2 * s.at(s.labels) + s.at(others), kExact));
}

// Rows may have different numbers of terms.
TEST(Terms, weights_belong_to_rows) {
  const Setting s;
  const std::vector<Terms> terms = {
      {.list = {{.label = 0, .weight = 1}, {.label = 2, .weight = 0.5}}},
      {.list = {{.label = 2, .weight = 3}}},
      {.list = {{.label = 2, .weight = -2}, {.label = 1, .weight = 0.25}, {.weight = 1}}}};
  const Tensor sum = weighted_gradient(s.field, s.x, terms);
  const auto row = [&](int64_t b, int64_t label) {
    return s.at(torch::full({3}, label, torch::kInt64))[b];
  };
  EXPECT_TRUE(close(sum[0], row(0, 0) + 0.5 * row(0, 2), kExact));
  EXPECT_TRUE(close(sum[1], 3 * row(1, 2), kExact));
  EXPECT_TRUE(close(sum[2], -2 * row(2, 2) + 0.25 * row(2, 1) + s.unlabelled()[2], kExact));
}

TEST(Terms, show_every_term_the_rows_time) {
  const LearnedField field(model_of(small_sit(), ObjectiveKind::eqm_noise_condition));
  const Tensor x = normal(3, 2, {2, 4, 4});
  const Tensor labels = torch::tensor({0, 1}, torch::kInt64);
  const Tensor time = torch::tensor({0.2, 0.9}, torch::kFloat64);
  const std::vector<Terms> terms = {composition({0, 0}), composition({1, 1})};
  const Tensor sum = weighted_gradient(field, x, terms, time);
  EXPECT_TRUE(close(sum, 2 * field.gradient(x, {.labels = labels, .time = time}), kExact));
  EXPECT_FALSE(close(sum, 2 * field.gradient(x, {.labels = labels, .time = {}}), 1e-6));
}

TEST(Terms, energies_are_weighted_like_gradients) {
  const LearnedField field(model_of(small_sit(), ObjectiveKind::eqm_dot));
  const Tensor x = normal(4, 1, {2, 4, 4});
  const Terms terms = guidance(1, 2.5);
  const std::vector<Question> questions = {{.x = state_of(x, 0), .terms = &terms}};
  const Answer answer = evaluate(field, {2, 4, 4}, x.options(), questions).front();
  const auto energy = [&](int64_t label) {
    const Condition condition = {.labels = torch::full({1}, label, torch::kInt64), .time = {}};
    return field.gradient_and_energy(x, condition).energy.item<double>();
  };
  EXPECT_NEAR(answer.energy, -1.5 * energy(field.null_label()) + 2.5 * energy(1), 1e-12);
  const Terms split = guidance(1, 2.5, GuidedChannels::first_three);
  const std::vector<Question> other = {{.x = state_of(x, 0), .terms = &split}};
  EXPECT_TRUE(std::isnan(evaluate(field, {2, 4, 4}, x.options(), other).front().energy));
}

TEST(Terms, that_cannot_be_answered_are_refused) {
  const Setting s;
  const double nan = std::nan("");
  expect_error(ErrorKind::usage, "without terms", [&] { check_terms(s.field, {.list = {}}); });
  expect_error(ErrorKind::usage, "no class 9", [&] { check_terms(s.field, only(9)); });
  expect_error(ErrorKind::usage, "no class -5", [&] { check_terms(s.field, only(-5)); });
  expect_error(ErrorKind::usage, "finite",
               [&] { check_terms(s.field, {.list = {{.label = 0, .weight = nan}}}); });
  SitConfig config = small_sit_config();
  config.class_dropout_prob = 0;
  const LearnedField without(model_of(small_sit(config), ObjectiveKind::eqm));
  expect_error(ErrorKind::usage, "null class", [&] { check_terms(without, guidance(0, 2.0)); });
  check_terms(s.field, guidance(0, 2.0));
}

}  // namespace
}  // namespace eqm::test
