#include "eqm/landscape/objective.h"

#include <cmath>

#include <gtest/gtest.h>

#include "eqm/backbone/convnet.h"
#include "eqm/landscape/corruption.h"
#include "eqm/landscape/model.h"
#include "eqm/tensor/autocast.h"
#include "tests/support/golden.h"
#include "tests/support/numeric_jacobian.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

TrainingBatch batch_for(const Backbone& backbone, int64_t count) {
  return {.x = 0.5 * normal(1, count, backbone.state_shape()),
          .noise = normal(2, count, backbone.state_shape()),
          .gamma = uniform_rows({.seed = 3}, count, torch::kFloat64),
          .labels = torch::arange(count, torch::kInt64).remainder(backbone.num_classes() + 1)};
}

// Answers a fixed tensor whatever it is asked; remembers what it was shown.
class Recorder final : public Backbone {
 public:
  explicit Recorder(const Tensor& answer) : answer_(answer) {}
  Conditioning conditioning(const Condition& condition, int64_t) const override {
    shown_condition = condition;
    return {};
  }
  Prediction forward_with(const Tensor& x, const Conditioning&) const override {
    shown = x;
    return {.output = answer_, .features = x};
  }
  double activation_floats_per_row() const override { return 1; }
  Shape state_shape() const override { return answer_.sizes().slice(1).vec(); }
  int64_t num_classes() const override { return 0; }
  int64_t null_label() const override { return 0; }
  std::string architecture() const override { return "{}"; }
  void initialise(uint64_t) override {}

  mutable Tensor shown;
  mutable Condition shown_condition;

 private:
  Tensor answer_;
};

TEST(Corruption, goes_from_noise_to_data) {
  const Tensor x = normal(4, 3, {2, 2}), noise = normal(5, 3, {2, 2});
  EXPECT_TRUE(torch::equal(corrupt(x, noise, torch::ones({3}, torch::kFloat64)), x));
  EXPECT_TRUE(torch::equal(corrupt(x, noise, torch::zeros({3}, torch::kFloat64)), noise));
  const Tensor gamma = torch::tensor({0.0, 0.25, 1.0}, torch::kFloat64);  // one per sample
  const Tensor mixed = corrupt(x, noise, gamma);
  EXPECT_TRUE(torch::equal(mixed[0], noise[0]));
  EXPECT_TRUE(close(mixed[1], 0.25 * x[1] + 0.75 * noise[1], 1e-15));
  EXPECT_TRUE(torch::equal(mixed[2], x[2]));
}

TEST(Corruption, target_points_from_data_to_noise_and_vanishes_at_data) {
  const Tensor x = normal(6, 3, {4}), noise = normal(7, 3, {4});
  const Tensor gamma = torch::tensor({0.0, 0.9, 1.0}, torch::kFloat64);
  const Tensor target = target_gradient(x, noise, gamma, {});
  EXPECT_TRUE(close(target[0], 4 * (noise[0] - x[0]), 1e-15));
  EXPECT_TRUE(close(target[1], 2 * (noise[1] - x[1]), 1e-14));
  EXPECT_EQ(target[2].abs().max().item<double>(), 0);
}

TEST(Loss, of_a_perfect_predictor_is_zero) {
  const Tensor x = normal(8, 5, {3}), noise = normal(9, 5, {3});
  const Tensor gamma = uniform_rows({.seed = 10}, 5, torch::kFloat64);
  for (const auto& [name, kind] : field_objective_names()) {
    if (has_energy(kind)) continue;
    const Objective objective = {.kind = kind, .magnitude = {}, .dispersive_weight = 0};
    // SPEC §2: a flow's velocity x - ε is minus the gradient (ε - x)·1; the sign belongs to the
    // model.
    const Tensor c = is_flow(kind) ? torch::ones_like(gamma) : Magnitude{}(gamma);
    const Tensor target = (noise - x) * c.unsqueeze(1);
    for (const double sign : {1.0, -1.0}) {
      Recorder perfect(sign * target);
      const Loss result = loss(perfect, objective, sign, {x, noise, gamma, {}});
      EXPECT_LT(result.per_sample.abs().max().item<double>(), 1e-28) << name;
      EXPECT_TRUE(close(result.prediction, target, 1e-15)) << name;
    }
  }
}

TEST(Loss, is_the_mean_square_over_elements_of_each_sample) {
  const Tensor x = normal(11, 3, {2, 3}), noise = normal(12, 3, {2, 3}),
               answer = normal(13, 3, {2, 3});
  const Tensor gamma = torch::tensor({0.1, 0.85, 0.99}, torch::kFloat64);
  Recorder backbone(answer);
  const Loss result = loss(backbone, {}, 1.0, {x, noise, gamma, {}});
  for (int64_t b = 0; b < 3; ++b) {
    double sum = 0;
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        const double target =
            (noise[b][i][j] - x[b][i][j]).item<double>() * Magnitude{}(gamma[b].item<double>());
        sum += std::pow(answer[b][i][j].item<double>() - target, 2);
      }
    }
    EXPECT_NEAR(result.per_sample[b].item<double>(), sum / 6, 1e-12);
  }
  EXPECT_TRUE(torch::equal(backbone.shown, corrupt(x, noise, gamma)));
  EXPECT_FALSE(result.dispersive.defined());
}

TEST(Loss, shows_gamma_to_conditional_objectives_only) {
  const Tensor x = normal(14, 2, {3}), noise = normal(15, 2, {3});
  const Tensor gamma = torch::tensor({0.2, 0.7}, torch::kFloat64);
  for (const auto& [name, kind] : field_objective_names()) {
    if (has_energy(kind)) continue;
    Recorder backbone(x);
    loss(backbone, {.kind = kind, .magnitude = {}, .dispersive_weight = 0}, 1.0,
         {x, noise, gamma, {}});
    const bool shown = kind == ObjectiveKind::fm || kind == ObjectiveKind::eqm_noise_condition;
    EXPECT_EQ(backbone.shown_condition.time.defined(), shown) << name;
    if (shown) {
      EXPECT_TRUE(torch::equal(backbone.shown_condition.time, gamma)) << name;
    }
  }
}

// Gradients of the training loss with respect to every parameter, along two directions each. For
// the energies this is a second derivative: the loss is a function of ∇_x g.
void expect_parameter_gradients(const std::shared_ptr<Backbone>& backbone, ObjectiveKind kind,
                                double dispersive_weight, int64_t count) {
  const Objective objective = {
      .kind = kind, .magnitude = {}, .dispersive_weight = dispersive_weight};
  const TrainingBatch batch = batch_for(*backbone, count);
  const auto mean = [&] { return loss(*backbone, objective, -1.0, batch).per_sample.mean(); };
  backbone->zero_grad();
  mean().backward();
  int alive = 0;
  uint64_t seed = 100;
  for (const auto& entry : backbone->named_parameters()) {
    const Tensor& parameter = entry.value();
    if (!parameter.requires_grad() || !parameter.grad().defined()) continue;
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Tensor direction = normal(seed++, 1, parameter.sizes().vec())[0];
      const double numeric =
          numeric_derivative_along([&] { return mean().item<double>(); }, parameter, direction);
      const double analytic = (parameter.grad() * direction).sum().item<double>();
      const double scale = parameter.grad().norm().item<double>() + 1e-3;
      EXPECT_NEAR(analytic, numeric, 1e-7 * scale) << entry.key();
    }
    if (parameter.grad().abs().max().item<double>() > 0) ++alive;
  }
  EXPECT_GE(alive, 5);
}

TEST(Loss, parameter_gradients_match_differences_for_every_objective_on_an_mlp) {
  for (const auto& [name, kind] : field_objective_names()) {
    SCOPED_TRACE(name);
    const auto mlp = small_mlp({.dimension = 3,
                                .width = 5,
                                .depth = 2,
                                .fourier = 2,
                                .num_classes = 3,
                                .time_input = sees_time(kind)});
    expect_parameter_gradients(mlp, kind, 0.0, 4);
    expect_parameter_gradients(mlp, kind, 0.5, 4);
  }
}

TEST(Loss, parameter_gradients_match_differences_for_every_objective_on_a_sit) {
  for (const auto& [name, kind] : field_objective_names()) {
    SCOPED_TRACE(name);
    SitConfig config = small_sit_config();
    config.depth = 1;
    expect_parameter_gradients(small_sit(config), kind, kind == ObjectiveKind::eqm ? 0.5 : 0.0, 2);
  }
}

TEST(DispersiveLoss, is_the_log_of_the_mean_kernel_over_all_pairs) {
  const Tensor z = normal(16, 5, {2, 3});
  double sum = 0;
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      double square = 0;
      for (int64_t k = 0; k < 6; ++k) {
        square += std::pow((z[i].flatten()[k] - z[j].flatten()[k]).item<double>(), 2);
      }
      sum += std::exp(-square / 6);
    }
  }
  EXPECT_NEAR(dispersive_loss(z).item<double>(), std::log(sum / 25), 1e-13);
}

TEST(DispersiveLoss, is_zero_for_collapsed_features_and_falls_as_they_spread) {
  const Tensor z = normal(17, 6, {4});
  EXPECT_NEAR(dispersive_loss(z * 0).item<double>(), 0, 1e-15);
  EXPECT_LT(dispersive_loss(2 * z).item<double>(), dispersive_loss(z).item<double>());
  EXPECT_GE(dispersive_loss(1e6 * z).item<double>(), -std::log(6) - 1e-12);  // the diagonal stays
  EXPECT_TRUE(derivatives_agree(dispersive_loss, z));
}

// Whatever matrix product is underneath: 0 for samples that are all the same, and -log(B) for
// samples that are infinitely far apart. Large features, where a sum of squares rounds, are the
// hard case.
TEST(DispersiveLoss, keeps_its_bounds_for_features_of_any_size) {
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    for (const int64_t width : {4, 33, 1000}) {
      const Tensor z = normal(18, 6, {width}).to(type);
      for (const double scale : {1e-3, 1.0, 1e3, 1e6}) {
        const double spread = dispersive_loss(scale * z).item<double>();
        EXPECT_GE(spread, -std::log(6) * (1 + 1e-6)) << scale;
        EXPECT_LE(spread, 0) << scale;
        const Tensor same = (scale * z[0]).unsqueeze(0).expand({6, width});
        EXPECT_LE(dispersive_loss(same).item<double>(), 1e-6) << scale;
      }
    }
  }
}

// Two samples that nearly coincide, far from the others: their distance is a difference of large
// numbers and must not come out below 0.
TEST(DispersiveLoss, is_never_above_zero) {
  Tensor z = normal(19, 4, {64}).to(torch::kFloat32) * 1e4;
  z[1] = z[0] + 1e-3;
  z = torch::cat({z, z[0].unsqueeze(0)});
  EXPECT_LE(dispersive_loss(z.narrow(0, 0, 2)).item<double>(), 1e-6);
  EXPECT_GE(dispersive_loss(z).item<double>(), -std::log(5) - 1e-6);
}

TEST(DispersiveLoss, is_computed_in_full_precision_also_in_bfloat16_training) {
  const Tensor z = normal(20, 6, {64}).to(torch::kFloat32);
  const Tensor expected = dispersive_loss(z);
  const Autocast scope(true, torch::kCPU);
  EXPECT_TRUE(torch::equal(dispersive_loss(z), expected));
  EXPECT_EQ(dispersive_loss(z.to(torch::kBFloat16)).scalar_type(), torch::kFloat32);
}

TEST(DispersiveLoss, is_added_with_its_weight) {
  const auto mlp = small_mlp();
  const TrainingBatch batch = batch_for(*mlp, 4);
  const auto with = [&](double weight) {
    return loss(*mlp, {.kind = ObjectiveKind::eqm, .magnitude = {}, .dispersive_weight = weight},
                1.0, batch);
  };
  const Loss both = with(0.5);
  EXPECT_TRUE(
      close(both.per_sample - with(0).per_sample, (0.5 * both.dispersive).expand({4}), 1e-12));
}

TEST(DropLabels, replaces_exactly_those_below_the_probability) {
  const Tensor labels = torch::tensor({0, 1, 2, 3}, torch::kInt64);
  const Tensor u = torch::tensor({0.05, 0.1, 0.0999, 0.9}, torch::kFloat64);
  EXPECT_TRUE(
      torch::equal(drop_labels(labels, u, 0.1, 10), torch::tensor({10, 1, 10, 3}, torch::kInt64)));
  EXPECT_TRUE(torch::equal(drop_labels(labels, u, 0, 10), labels));
  EXPECT_TRUE(torch::equal(drop_labels(labels, u, 1, 10), torch::full({4}, 10, torch::kInt64)));
}

TEST(Objective, every_kind_has_a_name_of_its_own) {
  for (const auto& [name, kind] : objective_names()) EXPECT_EQ(name_of(kind), name);
  EXPECT_EQ(objective_names().size(), 7U);
}

TEST(Objective, rows_say_what_the_papers_objectives_are) {
  using enum ObjectiveKind;
  const auto those = [](bool (*holds)(ObjectiveKind)) {
    std::vector<ObjectiveKind> kinds;
    for (const ObjectiveRow& row : objective_rows()) {
      EXPECT_FALSE(row.help.empty()) << row.name;
      if (holds(row.kind)) kinds.push_back(row.kind);
    }
    return kinds;
  };
  using Kinds = std::vector<ObjectiveKind>;
  EXPECT_EQ(those(sees_time), (Kinds{fm, eqm_noise_condition}));
  EXPECT_EQ(those(has_energy), (Kinds{eqm_dot, eqm_l2}));
  EXPECT_EQ(those(is_flow), (Kinds{fm, fm_unconditional}));
  EXPECT_EQ(those(is_classifier), Kinds{classifier});
  EXPECT_EQ(field_objective_names().size(), 6U);
}

TEST(Loss, of_a_classifier_is_the_cross_entropy_of_clean_images) {
  ConvNet net({.input_size = 8, .width = 2, .features = 3, .num_classes = 4});
  net.to(torch::kFloat64);
  shake(net, 0.3);
  const TrainingBatch batch = {.x = normal(1, 5, {1, 8, 8}),
                               .noise = normal(2, 5, {1, 8, 8}),
                               .gamma = torch::full({5}, 0.5, torch::kFloat64),
                               .labels = torch::tensor({0, 1, 2, 3, 0}, torch::kInt64)};
  Objective objective;
  objective.kind = ObjectiveKind::classifier;
  const Loss result = loss(net, objective, 1, batch);
  EXPECT_TRUE(torch::equal(result.prediction, net.forward(batch.x, {}).output));
  for (int64_t i = 0; i < 5; ++i) {
    const Tensor chances = result.prediction[i].exp() / result.prediction[i].exp().sum();
    EXPECT_NEAR(result.per_sample[i].item<double>(),
                -std::log(chances[batch.labels[i].item<int64_t>()].item<double>()), 1e-12);
  }
}

}  // namespace
}  // namespace eqm::test
