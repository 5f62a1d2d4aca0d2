#include "eqm/descend/score.h"

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
    EXPECT_EQ(score_name(field), "energy");
    EXPECT_TRUE(torch::equal(scores(field, x, {}), field.gradient_and_energy(x, {}).energy));
  }
}

TEST(Score, is_else_the_norm_of_the_gradient) {
  const Tensor x = normal(2, 4, {2, 4, 4});
  const LearnedField field(model_of(small_sit(), ObjectiveKind::eqm));
  EXPECT_EQ(score_name(field), "gradient norm");
  const Tensor score = scores(field, x, {});
  ASSERT_EQ(score.sizes(), (Shape{4}));
  EXPECT_TRUE(torch::allclose(score, row_norms(field.gradient(x, {})), 1e-14));
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
  }
}

}  // namespace
}  // namespace eqm::test
