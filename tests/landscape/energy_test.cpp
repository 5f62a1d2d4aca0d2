// Explicit energies: the field is the gradient of the energy it reports (SPEC §2).
#include <gtest/gtest.h>

#include "eqm/landscape/model.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/numeric_jacobian.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

constexpr ObjectiveKind kEnergies[] = {ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2};

// The gradient a field answers against differences of the energy it answers.
void expect_gradient_of_energy(const LearnedField& field, const Tensor& x,
                               const Condition& condition) {
  const GradientAndEnergy value = field.gradient_and_energy(x, condition);
  ASSERT_EQ(value.energy.sizes(), Shape({x.size(0)}));
  const Tensor numeric = numeric_jacobian(
      [&](const Tensor& point) { return field.gradient_and_energy(point, condition).energy; }, x);
  const Tensor summed = numeric.sum(0).reshape(x.sizes());
  EXPECT_TRUE(close(value.gradient, summed, kDerivativeTolerance));
  EXPECT_TRUE(torch::equal(field.gradient(x, condition), value.gradient));
  // Samples do not interact: the energy of one does not change with another's state.
  const int64_t width = x.numel() / x.size(0);
  for (int64_t b = 0; b < x.size(0); ++b) {
    const Tensor own = numeric[b].reshape({x.size(0), width});
    EXPECT_TRUE(close(own[b], summed[b].flatten(), 1e-12));
  }
}

TEST(Energy, field_is_the_gradient_of_the_energy_on_an_mlp) {
  for (const ObjectiveKind kind : kEnergies) {
    for (const double sign : {1.0, -1.0}) {
      const LearnedField field(model_of(small_mlp(), kind, sign));
      expect_gradient_of_energy(field, normal(1, 3, {3}),
                                {.labels = torch::tensor({0, 2, 3}, torch::kInt64), .time = {}});
    }
  }
}

TEST(Energy, field_is_the_gradient_of_the_energy_on_a_sit) {
  for (const ObjectiveKind kind : kEnergies) {
    const LearnedField field(model_of(small_sit(), kind));
    expect_gradient_of_energy(field, normal(2, 2, {2, 4, 4}),
                              {.labels = torch::tensor({1, 3}, torch::kInt64), .time = {}});
  }
}

TEST(Energy, values_are_the_dot_product_and_half_the_square) {
  const auto mlp = small_mlp();
  const Tensor x = normal(3, 4, {3});
  const LearnedField implicit(model_of(mlp, ObjectiveKind::eqm));
  const Tensor f = implicit.gradient(x, {});
  const Tensor dot =
      LearnedField(model_of(mlp, ObjectiveKind::eqm_dot)).gradient_and_energy(x, {}).energy;
  const Tensor l2 =
      LearnedField(model_of(mlp, ObjectiveKind::eqm_l2)).gradient_and_energy(x, {}).energy;
  EXPECT_TRUE(close(dot, (x * f).sum(1), 1e-14));
  EXPECT_TRUE(close(l2, 0.5 * f.square().sum(1), 1e-14));
}

TEST(Energy, sign_turns_the_dot_energy_and_leaves_the_l2_energy) {
  const auto mlp = small_mlp();
  const Tensor x = normal(4, 2, {3});
  const auto value = [&](ObjectiveKind kind, double sign) {
    return LearnedField(model_of(mlp, kind, sign)).gradient_and_energy(x, {});
  };
  EXPECT_TRUE(torch::equal(value(ObjectiveKind::eqm_dot, -1).energy,
                           -value(ObjectiveKind::eqm_dot, 1).energy));
  EXPECT_TRUE(torch::equal(value(ObjectiveKind::eqm_dot, -1).gradient,
                           -value(ObjectiveKind::eqm_dot, 1).gradient));
  EXPECT_TRUE(torch::equal(value(ObjectiveKind::eqm_l2, -1).energy,
                           value(ObjectiveKind::eqm_l2, 1).energy));
}

TEST(Energy, small_steps_down_lower_it) {
  for (const ObjectiveKind kind : kEnergies) {
    const LearnedField field(model_of(small_mlp(), kind));
    const Tensor x = normal(5, 16, {3});
    const GradientAndEnergy here = field.gradient_and_energy(x, {});
    const Tensor lower = field.gradient_and_energy(x - 1e-5 * here.gradient, {}).energy;
    EXPECT_TRUE((lower < here.energy).all().item<bool>());
  }
}

TEST(Energy, answers_carry_no_graph) {
  for (const ObjectiveKind kind :
       {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2}) {
    const LearnedField field(model_of(small_mlp(), kind));
    EXPECT_FALSE(field.gradient(normal(6, 2, {3}), {}).requires_grad());
    if (field.has_energy()) {
      const GradientAndEnergy value = field.gradient_and_energy(normal(6, 2, {3}), {});
      EXPECT_FALSE(value.gradient.requires_grad());
      EXPECT_FALSE(value.energy.requires_grad());
    }
  }
}

TEST(Energy, implicit_models_and_flows_have_none) {
  for (const ObjectiveKind kind :
       {ObjectiveKind::eqm, ObjectiveKind::fm, ObjectiveKind::fm_unconditional,
        ObjectiveKind::eqm_noise_condition}) {
    const LearnedField field(model_of(small_mlp(), kind));
    EXPECT_FALSE(field.has_energy());
    expect_error(ErrorKind::usage, "no explicit energy",
                 [&] { field.gradient_and_energy(normal(7, 1, {3}), {}); });
  }
}

}  // namespace
}  // namespace eqm::test
