// Training on the fused kernels against training on their reference implementations.
#include <gtest/gtest.h>

#include "eqm/kernel/dispatch.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

std::shared_ptr<Sit> narrow_sit() {
  SitConfig config = small_sit_config();
  config.hidden_size = 24;  // fits no vector
  config.num_heads = 2;
  config.depth = 2;
  auto sit = std::make_shared<Sit>(config);
  shake(*sit, 0.1, 3);
  return sit;
}

std::vector<double> losses(kernel::Path path, ObjectiveKind kind, int64_t steps) {
  const kernel::PathScope scope(path);
  TrainOptions options;
  options.schedule.lr = 1e-3;
  options.steps = steps;
  TrainingState state(model_of(narrow_sit(), kind), {});
  std::vector<double> curve;
  for (int64_t step = 0; step < steps; ++step) {
    const TrainingBatch batch = made_batch(step, 8, *state.model.backbone);
    curve.push_back(train_step(state, options, {&batch, 1}, Runtime()).loss);
  }
  return curve;
}

TEST(FusedKernels, training_follows_the_loss_curve_of_the_reference) {
  for (const ObjectiveKind kind :
       {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2}) {
    const std::vector<double> fused = losses(kernel::Path::fused, kind, 40);
    const std::vector<double> plain = losses(kernel::Path::plain, kind, 40);
    EXPECT_LT(plain.back(), 0.9 * plain.front()) << name_of(kind);
    for (size_t i = 0; i < plain.size(); ++i) {
      EXPECT_NEAR(fused[i] / plain[i], 1, 1e-3) << name_of(kind) << ", step " << i;
    }
  }
}

TEST(FusedKernels, gradients_of_every_objective_are_those_of_float64) {
  for (const ObjectiveKind kind :
       {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2, ObjectiveKind::fm}) {
    const auto narrow = narrow_sit(), wide = narrow_sit();
    wide->to(torch::kFloat64);
    for (const auto& sit : {narrow, wide}) {
      loss(*sit, model_of(sit, kind).objective, 1, made_batch(0, 3, *sit))
          .per_sample.mean()
          .backward();
    }
    for (const auto& entry : narrow->named_parameters()) {
      if (!entry.value().requires_grad()) continue;
      const Tensor expected = wide->named_parameters()[entry.key()].grad();
      ASSERT_EQ(entry.value().grad().defined(), expected.defined()) << entry.key();
      if (expected.defined()) {
        EXPECT_TRUE(close(entry.value().grad(), expected, 1e-4)) << name_of(kind) << entry.key();
      }
    }
  }
}

}  // namespace
}  // namespace eqm::test
