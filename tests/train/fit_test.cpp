#include "eqm/train/fit.h"

#include <limits>

#include <gtest/gtest.h>

#include "eqm/plane/sets.h"
#include "eqm/tensor/noise_tensor.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

TrainingBatch batch_at(int64_t step, int64_t size = 64) {
  const auto sample = static_cast<uint64_t>(step * size);
  return {.x = plane_points(PlaneSet::two_points, 1, step * size, size).to(torch::kFloat32),
          .noise = normal_rows({.seed = 2, .sample = sample}, size, {2}, torch::kFloat32),
          .gamma = uniform_rows({.seed = 3, .sample = sample}, size, torch::kFloat32),
          .labels = {}};
}

Model fresh_model(ObjectiveKind kind = ObjectiveKind::eqm) {
  Model model = model_of(std::make_shared<Mlp>(MlpConfig{.width = 24, .depth = 2}), kind);
  model.backbone->initialise(4);
  return model;
}

double held_out_loss(const Model& model) {
  return loss(*model.backbone, model.objective, model.output_sign, batch_at(1'000'000, 2000))
      .per_sample.mean()
      .item<double>();
}

TEST(Fit, lowers_the_loss_of_every_objective) {
  for (const auto& [name, kind] : field_objective_names()) {
    Model model = fresh_model(kind);
    const double before = held_out_loss(model);
    NoProgress progress;
    fit(
        model, [](int64_t step) { return batch_at(step); }, {.steps = 120, .lr = 5e-3}, progress);
    EXPECT_LT(held_out_loss(model), 0.8 * before) << name;
  }
}

TEST(Fit, is_deterministic) {
  const auto trained = [](int64_t steps) {
    Model model = fresh_model();
    NoProgress progress;
    fit(
        model, [](int64_t step) { return batch_at(step); }, {.steps = steps}, progress);
    return model;
  };
  const auto a = trained(30).backbone->parameters(), b = trained(30).backbone->parameters();
  const auto other = trained(29).backbone->parameters();
  bool differs = false;
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(torch::equal(a[i], b[i]));
    differs = differs || !torch::equal(a[i], other[i]);
  }
  EXPECT_TRUE(differs);
}

TEST(Fit, leaves_fixed_parameters_alone) {
  Model model = model_of(initialised<Mlp>(MlpConfig{.width = 8, .fourier = 3}), ObjectiveKind::eqm);
  const Tensor before = model.backbone->named_parameters()["frequencies"].clone();
  NoProgress progress;
  fit(
      model, [](int64_t step) { return batch_at(step); }, {.steps = 5}, progress);
  EXPECT_TRUE(torch::allclose(model.backbone->named_parameters()["frequencies"], before, 1e-6));
}

TEST(Fit, no_steps_change_nothing) {
  Model model = fresh_model();
  const Model untouched = fresh_model();
  NoProgress progress;
  fit(
      model, [](int64_t step) { return batch_at(step); }, {.steps = 0}, progress);
  const auto a = model.backbone->parameters(), b = untouched.backbone->parameters();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(torch::equal(a[i], b[i]));
}

TEST(Fit, a_loss_that_is_not_finite_ends_with_an_error_that_names_the_step) {
  for (const int64_t poisoned : {0, 7, 59}) {
    Model model = fresh_model();
    NoProgress progress;
    const auto poison = [&](int64_t step) {
      TrainingBatch batch = batch_at(step);
      if (step == poisoned) batch.x = batch.x * std::numeric_limits<float>::quiet_NaN();
      return batch;
    };
    expect_error(ErrorKind::numeric, "step " + std::to_string(poisoned + 1),
                 [&] { fit(model, poison, {.steps = 60}, progress); });
  }
}

class Counting final : public Progress {
 public:
  void begin(const std::string&, int64_t, const std::string&) override {}
  void update(int64_t done, const std::string& note) override {
    EXPECT_EQ(done, ++updates);
    EXPECT_EQ(note.substr(0, 5), "loss ");
    EXPECT_EQ(note.find("nan"), std::string::npos);
  }
  void end() override {}
  int64_t updates = 0;
};

TEST(Fit, reports_every_step) {
  Model model = fresh_model();
  Counting progress;
  fit(
      model, [](int64_t step) { return batch_at(step); }, {.steps = 13}, progress);
  EXPECT_EQ(progress.updates, 13);
}

}  // namespace
}  // namespace eqm::test
