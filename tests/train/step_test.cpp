#include "eqm/train/step.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "eqm/tensor/autocast.h"
#include "eqm/train/training_batch.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

// A small ε would blow gradients that are zero but for rounding up to whole steps.
constexpr AdamWOptions kCalm = {.epsilon = 0.1};

using MakeBackbone = std::function<std::shared_ptr<Backbone>()>;

const std::vector<MakeBackbone> kBackbones = {[] { return small_mlp(); },
                                              [] { return small_sit(); }};

std::shared_ptr<Backbone> in_type(std::shared_ptr<Backbone> backbone, torch::ScalarType type) {
  backbone->to(type);
  return backbone;
}

TrainingState state_of(std::shared_ptr<Backbone> backbone,
                       ObjectiveKind kind = ObjectiveKind::eqm) {
  return {model_of(std::move(backbone), kind), kCalm};
}

TrainOptions options_with(double lr = 0.05) {
  TrainOptions options;
  options.steps = 100;
  options.schedule.lr = lr;
  options.ema = 0.75;
  return options;
}

StepReport step_on(TrainingState& state, const TrainOptions& options, const TrainingBatch& batch) {
  return train_step(state, options, {&batch, 1}, Runtime());
}

TEST(TrainStep, parts_of_a_batch_make_the_step_of_the_whole) {
  for (const torch::ScalarType type : kPrecisions) {
    for (const MakeBackbone& make : kBackbones) {
      for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::eqm_dot}) {
        TrainingState whole = state_of(in_type(make(), type), kind);
        TrainingState parts = state_of(in_type(make(), type), kind);
        for (int64_t step = 0; step < 3; ++step) {
          const TrainingBatch batch = made_batch(step, 8, *whole.model.backbone);
          const StepReport expected = step_on(whole, options_with(), batch);
          const StepReport report =
              train_step(parts, options_with(), parts_of(batch, 4), Runtime());
          const double limit = tolerance(type, 1e-5);
          EXPECT_NEAR(report.loss, expected.loss, limit * expected.loss);
          EXPECT_NEAR(report.gradient_norm, expected.gradient_norm, limit * expected.gradient_norm);
        }
        const NamedTensors actual = tensors_of(parts), expected = tensors_of(whole);
        for (size_t i = 0; i < actual.size(); ++i) {
          // Measured: 2.4e-6 in float32, 1e-14 in float64.
          EXPECT_TRUE(close(actual[i].second, expected[i].second, tolerance(type, 2e-5)))
              << actual[i].first;
        }
      }
    }
  }
}

TEST(TrainStep, is_deterministic) {
  for (const MakeBackbone& make : kBackbones) {
    TrainingState a = state_of(make()), b = state_of(make());
    train_to(3, a, options_with());
    train_to(3, b, options_with());
    EXPECT_TRUE(same_bits(tensors_of(a), tensors_of(b)));
    train_to(4, b, options_with());
    EXPECT_FALSE(same_bits(tensors_of(a), tensors_of(b)));
  }
}

TEST(TrainStep, reports_loss_norm_and_rate_of_the_step) {
  for (const torch::ScalarType type : kPrecisions) {
    TrainingState state = state_of(in_type(small_sit(), type));
    TrainOptions options = options_with();
    options.schedule = {.lr = 0.01, .warm_up = 10};
    for (int64_t step = 0; step < 3; ++step) {
      const TrainingBatch batch = made_batch(step, 4, *state.model.backbone);
      const double expected =
          loss(*state.model.backbone, state.model.objective, state.model.output_sign, batch)
              .per_sample.mean()
              .item<double>();
      const StepReport report = step_on(state, options, batch);
      EXPECT_NEAR(report.loss, expected, tolerance(type, 1e-6) * expected);
      EXPECT_DOUBLE_EQ(report.lr, 0.001 * static_cast<double>(step + 1));
      double squares = 0;  // the gradients stay until the next step
      for (const auto& entry : trainable_weights_of(*state.model.backbone)) {
        squares += entry.second.grad().to(torch::kFloat64).square().sum().item<double>();
      }
      EXPECT_NEAR(report.gradient_norm, std::sqrt(squares), tolerance(type, 1e-5));
      EXPECT_EQ(state.step, step + 1);
      EXPECT_EQ(state.optimiser.steps(), step + 1);
    }
  }
}

TEST(TrainStep, adds_up_its_losses_for_people) {
  TrainingState state = state_of(small_mlp());
  const StepReport first = step_on(state, options_with(), made_batch(0, 4, *state.model.backbone));
  EXPECT_EQ(state.losses.shown().loss, first.loss);
  const StepReport second = step_on(state, options_with(), made_batch(1, 4, *state.model.backbone));
  EXPECT_NE(first.loss, second.loss);
  const LossMeans means = state.losses.shown();
  EXPECT_DOUBLE_EQ(means.loss, (first.loss + second.loss) / 2);
  EXPECT_DOUBLE_EQ(means.gradient_norm, (first.gradient_norm + second.gradient_norm) / 2);
  EXPECT_EQ(means.steps, 2);
  EXPECT_EQ(means.last, 2);
}

NamedTensors gradients_of(const TrainingState& state) {
  NamedTensors gradients;
  for (const auto& [name, weight] : trainable_weights_of(*state.model.backbone)) {
    gradients.emplace_back(name, weight.grad());
  }
  return gradients;
}

TEST(TrainStep, clipping_scales_every_gradient_by_the_same_factor) {
  for (const torch::ScalarType type : kPrecisions) {
    TrainingState free = state_of(in_type(small_sit(), type));
    TrainingState clipped = state_of(in_type(small_sit(), type));
    const TrainingBatch batch = made_batch(0, 4, *free.model.backbone);
    TrainOptions options = options_with();
    const StepReport unclipped = step_on(free, options, batch);
    options.clip = unclipped.gradient_norm / 3;
    const StepReport report = step_on(clipped, options, batch);
    EXPECT_EQ(report.gradient_norm, unclipped.gradient_norm) << "told before clipping";
    NamedTensors expected = copies_of(gradients_of(free));
    for (const auto& entry : expected) entry.second.mul_(options.clip / unclipped.gradient_norm);
    EXPECT_TRUE(same_bits(gradients_of(clipped), expected));
    EXPECT_FALSE(same_bits(tensors_of(clipped), tensors_of(free)));
  }
}

TEST(TrainStep, a_limit_above_the_norm_clips_nothing) {
  TrainingState free = state_of(small_mlp()), limited = state_of(small_mlp());
  const TrainingBatch batch = made_batch(0, 4, *free.model.backbone);
  TrainOptions options = options_with();
  options.clip = step_on(free, options, batch).gradient_norm * 1.01;
  step_on(limited, options, batch);
  EXPECT_TRUE(same_bits(tensors_of(limited), tensors_of(free)));
}

TEST(TrainStep, averages_the_weights_by_the_decay) {
  for (const bool warm : {false, true}) {
    TrainingState state = state_of(small_sit());
    TrainOptions options = options_with();
    options.ema_warm_up = warm;
    for (int64_t step = 0; step < 4; ++step) {
      const NamedTensors before = copies_of(weights_of(*state.ema.backbone()));
      train_to(step + 1, state, options);
      // (1 + n) / (10 + n) is below 0.75 for these steps.
      const double decay =
          warm ? (1.0 + static_cast<double>(step)) / (10.0 + static_cast<double>(step)) : 0.75;
      const NamedTensors weights = weights_of(*state.model.backbone);
      const NamedTensors average = weights_of(*state.ema.backbone());
      for (size_t i = 0; i < weights.size(); ++i) {
        EXPECT_TRUE(close(average[i].second,
                          decay * before[i].second + (1 - decay) * weights[i].second, 1e-14))
            << average[i].first;
      }
    }
  }
}

TEST(TrainStep, a_warm_decay_ends_at_the_decay_itself) {
  EXPECT_DOUBLE_EQ(warm_decay(0.999, 0), 0.1);
  EXPECT_DOUBLE_EQ(warm_decay(0.999, 90), 0.91);
  EXPECT_DOUBLE_EQ(warm_decay(0.999, 1'000'000), 0.999);
  EXPECT_DOUBLE_EQ(warm_decay(0, 5), 0);
}

TEST(TrainingState, averaged_is_the_model_with_the_averaged_weights) {
  TrainingState state = state_of(small_mlp(), ObjectiveKind::eqm_dot);
  state.model.class_names = {"a", "b", "c"};
  state.model.scaling = Scaling::pixels();
  train_to(2, state, options_with());
  const Model averaged = state.averaged();
  EXPECT_EQ(averaged.backbone, state.ema.backbone());
  EXPECT_EQ(averaged.objective.kind, ObjectiveKind::eqm_dot);
  EXPECT_EQ(averaged.class_names, state.model.class_names);
  EXPECT_EQ(averaged.scaling, Scaling::pixels());
}

TEST(TrainStep, leaves_fixed_weights_alone) {
  for (const MakeBackbone& make : kBackbones) {
    TrainingState state(model_of(make(), ObjectiveKind::eqm), {.weight_decay = 0.5});
    const NamedTensors before = copies_of(weights_of(*state.model.backbone));
    train_to(3, state, options_with());
    const NamedTensors after = weights_of(*state.model.backbone);
    for (size_t i = 0; i < after.size(); ++i) {
      const auto& [name, weight] = after[i];
      if (!weight.requires_grad()) {
        EXPECT_TRUE(torch::equal(weight, before[i].second)) << name;
      }
    }
  }
}

TEST(TrainStep, every_objective_learns) {
  for (const auto& [name, kind] : field_objective_names()) {
    for (const torch::ScalarType type : kPrecisions) {
      const MlpConfig config = {.dimension = 3,
                                .width = 8,
                                .depth = 2,
                                .fourier = 2,
                                .num_classes = 3,
                                .time_input = sees_time(kind)};
      for (const auto& backbone :
           std::vector<std::shared_ptr<Backbone>>{small_mlp(config), small_sit()}) {
        TrainingState state = state_of(in_type(backbone, type), kind);
        const TrainingBatch batch = made_batch(0, 8, *backbone);
        const double before = step_on(state, options_with(), batch).loss;
        for (int i = 0; i < 30; ++i) step_on(state, options_with(), batch);
        const double after = step_on(state, options_with(), batch).loss;
        EXPECT_LT(after, 0.9 * before) << name;
      }
    }
  }
}

std::shared_ptr<Backbone> fresh_sit() {
  const auto sit = std::make_shared<Sit>(small_sit_config());
  sit->to(torch::kFloat64);
  sit->initialise(3);
  return sit;
}

TEST(TrainStep, eqm_l2_learns_from_a_trained_eqm_model_and_not_from_a_fresh_one) {
  const TrainOptions options = options_with();
  // The output of a fresh SiT is 0 everywhere, and ½‖f‖² is flat there.
  TrainingState fresh = state_of(fresh_sit(), ObjectiveKind::eqm_l2);
  const TrainingBatch batch = made_batch(0, 8, *fresh.model.backbone);
  EXPECT_EQ(step_on(fresh, options, batch).gradient_norm, 0);

  TrainingState eqm = state_of(fresh_sit(), ObjectiveKind::eqm);
  for (int i = 0; i < 60; ++i) step_on(eqm, options, batch);
  TrainingState l2 = state_of(eqm.model.backbone, ObjectiveKind::eqm_l2);
  const StepReport first = step_on(l2, options, batch);
  EXPECT_GT(first.gradient_norm, 0);
  for (int i = 0; i < 40; ++i) step_on(l2, options, batch);
  EXPECT_LT(step_on(l2, options, batch).loss, 0.9 * first.loss);
}

TEST(TrainStep, reuses_memory_unless_the_runtime_has_no_workspaces) {
  Runtime runtime;
  for (const Workspaces policy : {Workspaces::reuse, Workspaces::none}) {
    TrainingState state = state_of(small_sit());
    const TrainingBatch batch = made_batch(0, 4, *state.model.backbone);
    runtime.workspaces = policy;
    train_step(state, options_with(), {&batch, 1}, runtime);
    EXPECT_EQ(state.workspace.counts().taken > 0, policy == Workspaces::reuse);
  }
}

TEST(TrainStep, autocast_changes_digits_but_not_the_weights_type) {
  if (!computes_bfloat16(torch::kCPU)) GTEST_SKIP() << "no bfloat16 with this oneDNN setting";
  for (const auto& [name, kind] : field_objective_names()) {
    const auto make = [] { return in_type(small_sit(), torch::kFloat32); };
    TrainingState plain = state_of(make(), kind), cast = state_of(make(), kind);
    const TrainingBatch batch = made_batch(0, 8, *plain.model.backbone);
    const double exact = step_on(plain, options_with(), batch).loss;
    Runtime runtime;
    runtime.autocast = true;
    const double rough = train_step(cast, options_with(), {&batch, 1}, runtime).loss;
    EXPECT_NE(rough, exact) << name;
    EXPECT_NEAR(rough, exact, 0.05 * exact) << name;
    for (const auto& [tensor_name, tensor] : tensors_of(cast)) {
      EXPECT_EQ(tensor.scalar_type(), torch::kFloat32) << tensor_name;
      EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << tensor_name;
    }
    EXPECT_EQ(torch::matmul(torch::ones({2, 2}), torch::ones({2, 2})).scalar_type(),
              torch::kFloat32);
  }
}

// A state that can go wrong in a chosen way: one hidden layer, h = silu(bias), f = W h + b.
TrainingState tame_state() {
  const auto mlp = std::make_shared<Mlp>(MlpConfig{.dimension = 2, .width = 3, .depth = 1});
  mlp->initialise(1);
  return state_of(mlp);
}

void fill(const TrainingState& state, const std::string& weight, double value) {
  const torch::NoGradGuard guard;
  state.model.backbone->named_parameters()[weight].fill_(value);
}

// After two good steps the third is refused with a sentence that names `what`, and nothing changes.
void expect_refusal(const std::string& what, const std::function<void(TrainingState&)>& spoil,
                    const std::function<void(TrainingBatch&)>& spoil_batch) {
  SCOPED_TRACE(what);
  TrainingState state = tame_state();
  train_to(2, state, options_with());
  spoil(state);
  TrainingBatch batch = made_batch(2, 4, *state.model.backbone);
  spoil_batch(batch);
  const NamedTensors before = copies_of(tensors_of(state));
  const LossSums losses = state.losses.sums;
  for (const std::vector<TrainingBatch>& parts : {std::vector{batch}, std::vector{batch, batch}}) {
    expect_error(ErrorKind::numeric, what + " is not finite at step 3",
                 [&] { train_step(state, options_with(), parts, Runtime()); });
  }
  // Infinities compare equal to themselves, NaN is only in the batch.
  EXPECT_TRUE(same_bits(tensors_of(state), before));
  EXPECT_EQ(state.step, 2);
  EXPECT_EQ(state.optimiser.steps(), 2);
  EXPECT_EQ(state.losses.sums, losses);
}

void nothing(TrainingState&) {}
void no_change(TrainingBatch&) {}

TEST(TrainStep, names_data_that_are_not_finite) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    expect_refusal("the data", nothing, [&](TrainingBatch& batch) {
      batch.x = batch.x.index_fill(1, torch::tensor({1}), value);
    });
  }
}

TEST(TrainStep, names_a_weight_that_is_not_finite) {
  expect_refusal(
      "the weight 'out.weight'",
      [](TrainingState& state) {
        fill(state, "out.weight", std::numeric_limits<double>::infinity());
      },
      no_change);
}

TEST(TrainStep, names_a_prediction_that_is_not_finite) {
  expect_refusal(
      "the predicted gradient",
      [](TrainingState& state) {
        fill(state, "layer0.bias", 1e30);
        fill(state, "out.weight", 1e30);
      },
      no_change);
}

TEST(TrainStep, names_a_loss_that_is_not_finite) {
  expect_refusal(
      "the loss", [](TrainingState& state) { fill(state, "out.bias", 1e25); }, no_change);
}

TEST(TrainStep, names_a_gradient_that_is_not_finite) {
  // The prediction is 1e18 and its square still a number, but 1e18 times h = 1e25 is none.
  expect_refusal(
      "the gradient of 'out.weight'",
      [](TrainingState& state) {
        fill(state, "layer0.bias", 1e25);
        fill(state, "out.weight", 0);
        fill(state, "out.bias", 1e18);
      },
      no_change);
}

TEST(TrainStep, names_a_norm_that_is_not_finite) {
  // Gradients of about 1e21 are numbers, their squares are not.
  expect_refusal(
      "the norm of all gradients",
      [](TrainingState& state) {
        fill(state, "layer0.bias", 1e6);
        fill(state, "out.weight", 0);
        fill(state, "out.bias", 1e15);
      },
      no_change);
}

TEST(TrainStep, a_refused_batch_leaves_no_trace_in_the_next_step) {
  TrainingState calm = tame_state(), shaken = tame_state();
  TrainingBatch bad = made_batch(9, 4, *shaken.model.backbone);
  const TrainingBatch half = bad;
  bad.x = bad.x * std::nan("");
  const std::vector<TrainingBatch> parts = {half, bad};
  expect_error(ErrorKind::numeric, "the data is not finite at step 1",
               [&] { train_step(shaken, options_with(), parts, Runtime()); });
  train_to(2, calm, options_with());
  train_to(2, shaken, options_with());
  EXPECT_TRUE(same_bits(tensors_of(shaken), tensors_of(calm)));
}

}  // namespace
}  // namespace eqm::test
