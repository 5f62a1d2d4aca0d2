#include "eqm/landscape/terms.h"

#include <gtest/gtest.h>

#include "eqm/landscape/model.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

constexpr double kExact = 1e-13;

struct Setting {
  LearnedField field{model_of(small_sit(), ObjectiveKind::eqm)};
  Tensor x = normal(1, 3, {2, 4, 4});
  Tensor labels = torch::tensor({0, 1, 2}, torch::kInt64);
  int64_t null = field.null_label();

  Tensor at(const Tensor& some_labels) const {
    return field.gradient(x, {.labels = some_labels, .time = {}});
  }
  Tensor unlabelled() const { return field.gradient(x, {}); }
  Tensor guided(double scale) const {
    return weighted_gradient(field, x, guidance(labels, null, scale, GuidedChannels::all), {});
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
    return weighted_gradient(field, x, guidance(labels, field.null_label(), 3.0, channels), {});
  };
  const Tensor some = guided(GuidedChannels::first_three);
  EXPECT_TRUE(close(some.narrow(1, 0, 3), guided(GuidedChannels::all).narrow(1, 0, 3), kExact));
  const Tensor labelled = field.gradient(x, {.labels = labels, .time = {}});
  EXPECT_TRUE(close(some.narrow(1, 3, 2), labelled.narrow(1, 3, 2), kExact));
}

TEST(Guidance, on_first_channels_of_a_state_without_others_guides_all) {
  const Setting s;  // two channels
  const Terms terms = guidance(s.labels, s.null, 2.0, GuidedChannels::first_three);
  EXPECT_TRUE(close(weighted_gradient(s.field, s.x, terms, {}), s.guided(2), kExact));
}

TEST(Guidance, without_a_null_class_is_refused) {
  expect_error(ErrorKind::usage, "null class",
               [] { guidance(torch::zeros({1}, torch::kInt64), -1, 2.0, GuidedChannels::all); });
}

TEST(Composition, is_the_sum_of_the_labels_gradients) {
  const Setting s;
  const Tensor others = torch::tensor({1, 1, 0}, torch::kInt64);
  const Tensor sum = weighted_gradient(s.field, s.x, composition({s.labels, others, s.labels}), {});
  EXPECT_TRUE(close(sum, 2 * s.at(s.labels) + s.at(others), kExact));
}

TEST(Terms, weights_belong_to_rows) {
  const Setting s;
  const Tensor others = torch::tensor({2, 2, 1}, torch::kInt64);
  const Tensor weights = torch::tensor({{1.0, 0.0, -2.0}, {0.5, 3.0, 0.25}}, torch::kFloat64);
  const Terms terms = {.labels = torch::stack({s.labels, others}),
                       .weights = weights,
                       .split = -1,
                       .rest_weights = {}};
  const auto column = [&](int64_t k) { return weights[k].reshape({3, 1, 1, 1}); };
  const Tensor expected = column(0) * s.at(s.labels) + column(1) * s.at(others);
  const Tensor all = weighted_gradient(s.field, s.x, terms, {});
  EXPECT_TRUE(close(all, expected, kExact));

  const Tensor index = torch::tensor({2, 0}, torch::kInt64);
  const Tensor some = weighted_gradient(s.field, s.x.index_select(0, index), terms.rows(index), {});
  EXPECT_TRUE(close(some, expected.index_select(0, index), kExact));
}

TEST(Terms, rows_keep_the_weights_of_the_other_channels) {
  const Tensor labels = torch::tensor({0, 1, 2}, torch::kInt64);
  const Terms terms = guidance(labels, 3, 2.0, GuidedChannels::first_three);
  const Terms some = terms.rows(torch::tensor({1}, torch::kInt64));
  EXPECT_EQ(some.split, 3);
  EXPECT_EQ(some.rest_weights.sizes(), Shape({2, 1}));
  EXPECT_EQ(some.labels[1][0].item<int64_t>(), 1);
}

TEST(Terms, show_every_term_the_rows_time) {
  const LearnedField field(model_of(small_sit(), ObjectiveKind::eqm_noise_condition));
  const Tensor x = normal(3, 2, {2, 4, 4});
  const Tensor labels = torch::tensor({0, 1}, torch::kInt64);
  const Tensor time = torch::tensor({0.2, 0.9}, torch::kFloat64);
  const Tensor sum = weighted_gradient(field, x, composition({labels, labels}), time);
  EXPECT_TRUE(close(sum, 2 * field.gradient(x, {.labels = labels, .time = time}), kExact));
  EXPECT_FALSE(close(sum, 2 * field.gradient(x, {.labels = labels, .time = {}}), 1e-6));
}

}  // namespace
}  // namespace eqm::test
