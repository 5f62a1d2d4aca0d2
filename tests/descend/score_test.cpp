#include "eqm/descend/score.h"

#include <set>

#include <gtest/gtest.h>

#include "eqm/landscape/ideal_field.h"
#include "eqm/tensor/rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

TEST(Score, is_the_energy_where_there_is_one) {
  const Tensor x = normal(1, 5, {3});
  for (const ObjectiveKind kind : {ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2}) {
    const LearnedField field(model_of(small_mlp(), kind));
    EXPECT_EQ(computed_score(ScoreKind::automatic, field.has_energy()).quantity, "energy");
    EXPECT_TRUE(torch::equal(scores(field, x, {}), field.gradient_and_energy(x, {}).energy));
  }
}

TEST(Score, is_else_the_norm_of_the_gradient) {
  const Tensor x = normal(2, 4, {2, 4, 4});
  const LearnedField field(model_of(small_sit(), ObjectiveKind::eqm));
  EXPECT_EQ(computed_score(ScoreKind::automatic, field.has_energy()).quantity, "gradient norm");
  const Tensor score = scores(field, x, {});
  ASSERT_EQ(score.sizes(), (Shape{4}));
  EXPECT_TRUE(torch::allclose(score, row_norms(field.gradient(x, {})), 1e-14));
}

TEST(Score, of_an_energy_may_be_the_norm) {
  const Tensor x = normal(7, 5, {3});
  const LearnedField field(model_of(small_mlp(), ObjectiveKind::eqm_dot));
  for (const ScoreKind kind : {ScoreKind::norm, ScoreKind::norm_typicality}) {
    EXPECT_TRUE(
        torch::allclose(scores(field, x, {}, kind), row_norms(field.gradient(x, {})), 1e-14));
  }
  EXPECT_TRUE(torch::equal(scores(field, x, {}, ScoreKind::typicality),
                           scores(field, x, {}, ScoreKind::energy)));
}

TEST(Score, rows_have_names_and_lead_to_one_that_is_computed) {
  std::set<std::string_view> names;
  for (const ScoreRow& row : score_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.help.empty());
    for (const bool has_energy : {false, true}) {
      const ScoreRow& computed = computed_score(row.kind, has_energy);
      EXPECT_NE(computed.scores, nullptr) << row.name;
      EXPECT_NE(computed.problem, nullptr) << row.name;
      EXPECT_FALSE(computed.quantity.empty()) << row.name;
      EXPECT_FALSE(computed.two_sided) << row.name;
    }
  }
}

TEST(Score, depends_on_the_label_and_on_no_neighbour) {
  const Tensor x = normal(3, 3, {3});
  const LearnedField field(model_of(small_mlp(), ObjectiveKind::eqm));
  const Tensor labels = torch::tensor({0, 1, 2}, torch::kInt64);
  const Tensor score = scores(field, x, {.labels = labels, .time = {}});
  EXPECT_FALSE(torch::allclose(score, scores(field, x, {})));
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor alone =
        scores(field, x.narrow(0, i, 1), {.labels = labels.narrow(0, i, 1), .time = {}});
    EXPECT_NEAR(alone.item<double>(), score[i].item<double>(), 1e-13);
  }
}

TEST(Score, of_data_in_the_ideal_landscape_is_smaller_than_that_of_others) {
  const Tensor data = 2 * normal(4, 6, {64});
  const IdealField field(data, Objective{}.effective_magnitude());
  const Tensor known = scores(field, data + 0.01 * normal(5, 6, {64}), {});
  const Tensor other = scores(field, 2 * normal(6, 6, {64}), {});
  EXPECT_LT(known.max().item<double>(), 0.1 * other.min().item<double>());
}

TEST(Score, is_refused_to_models_without_a_landscape_to_rest_in) {
  for (const ObjectiveKind kind : {ObjectiveKind::fm, ObjectiveKind::fm_unconditional}) {
    expect_error(ErrorKind::usage, "do not rest", [=] { require_score(kind); });
  }
  expect_error(ErrorKind::usage, "noise level",
               [] { require_score(ObjectiveKind::eqm_noise_condition); });
  for (const ObjectiveKind kind :
       {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2}) {
    EXPECT_NO_THROW(require_score(kind));
    EXPECT_NO_THROW(require_score(kind, ScoreKind::norm_typicality));
  }
  EXPECT_NO_THROW(require_score(ObjectiveKind::eqm_l2, ScoreKind::energy));
  expect_error(ErrorKind::usage, "no explicit energy",
               [] { require_score(ObjectiveKind::eqm, ScoreKind::energy); });
}

}  // namespace
}  // namespace eqm::test
