#include "eqm/train/adamw.h"

#include <gtest/gtest.h>
#include <torch/optim/adamw.h>

#include "eqm/tensor/noise_tensor.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

const std::vector<Shape> kShapes = {{3, 4}, {5}, {2, 1, 3}};

NamedTensors fresh_weights(torch::ScalarType type) {
  NamedTensors weights;
  for (size_t i = 0; i < kShapes.size(); ++i) {
    const Tensor start = normal_rows({.seed = 1, .sample = i}, 1, kShapes[i], torch::kFloat64)[0];
    weights.emplace_back("w" + std::to_string(i), start.to(type).requires_grad_(true));
  }
  return weights;
}

// The gradients of a step, a pure function of it.
void set_gradients(const NamedTensors& weights, int64_t step) {
  for (size_t i = 0; i < weights.size(); ++i) {
    const NoiseKey key = {.seed = 2 + static_cast<uint64_t>(step), .sample = i};
    const Tensor& weight = weights[i].second;
    weight.mutable_grad() =
        normal_rows(key, 1, weight.sizes().vec(), torch::kFloat64)[0].to(weight.options());
  }
}

double lr_of(int64_t step) {
  return 0.01 / static_cast<double>(1 + step);
}

TEST(AdamW, takes_the_steps_of_libtorch) {
  const std::vector<AdamWOptions> all = {
      {},
      {.weight_decay = 0.1},
      {.beta1 = 0.7, .beta2 = 0.95, .epsilon = 1e-3, .weight_decay = 0.02},
      {.beta1 = 0, .beta2 = 0, .epsilon = 0.1}};
  for (const torch::ScalarType type : kPrecisions) {
    for (const AdamWOptions& options : all) {
      const NamedTensors ours = fresh_weights(type), theirs = fresh_weights(type);
      AdamW optimiser(ours, options);
      std::vector<Tensor> list;
      for (const auto& entry : theirs) list.push_back(entry.second);
      torch::optim::AdamW reference(list, torch::optim::AdamWOptions()
                                              .betas({options.beta1, options.beta2})
                                              .eps(options.epsilon)
                                              .weight_decay(options.weight_decay));
      for (int64_t step = 0; step < 7; ++step) {
        set_gradients(ours, step);
        set_gradients(theirs, step);
        optimiser.step(lr_of(step));
        for (auto& group : reference.param_groups()) group.options().set_lr(lr_of(step));
        reference.step();
        for (size_t i = 0; i < ours.size(); ++i) {
          // Ours rounds a step once, LibTorch each operation of it: an ulp or two in seven steps.
          EXPECT_TRUE(close(ours[i].second, theirs[i].second, tolerance(type, 4e-7)))
              << "step " << step << ", " << ours[i].first;
        }
      }
      EXPECT_EQ(optimiser.steps(), 7);
    }
  }
}

TEST(AdamW, first_step_is_the_rate_against_the_sign_of_the_gradient) {
  const Tensor weight = torch::tensor({1.0, -2.0, 3.0}, torch::kFloat64).requires_grad_(true);
  weight.mutable_grad() = torch::tensor({0.5, -1e3, 1e-4}, torch::kFloat64);
  AdamW optimiser({{"w", weight}}, {.epsilon = 1e-16, .weight_decay = 0.5});
  optimiser.step(0.1);
  // Decay first: w (1 - 0.1 * 0.5), then 0.1 against the sign.
  EXPECT_TRUE(close(weight, torch::tensor({0.85, -1.8, 2.75}, torch::kFloat64), 1e-11));
}

TEST(AdamW, leaves_weights_without_gradient_alone) {
  for (const torch::ScalarType type : kPrecisions) {
    const NamedTensors weights = fresh_weights(type);
    const NamedTensors before = copies_of(weights);
    AdamW optimiser(weights, {.weight_decay = 0.5});
    for (int64_t step = 0; step < 3; ++step) {
      set_gradients(weights, step);
      weights[1].second.mutable_grad() = Tensor();
      optimiser.step(0.1);
    }
    EXPECT_FALSE(torch::equal(weights[0].second, before[0].second));
    EXPECT_TRUE(torch::equal(weights[1].second, before[1].second));
    for (const auto& [name, moment] : optimiser.memory()) {
      EXPECT_EQ(moment.count_nonzero().item<int64_t>() == 0, name.ends_with("w1")) << name;
    }
  }
}

TEST(AdamW, zeroed_gradients_are_gone) {
  const NamedTensors weights = fresh_weights(torch::kFloat32);
  AdamW optimiser(weights, {});
  set_gradients(weights, 0);
  optimiser.zero_gradients();
  for (const auto& entry : weights) EXPECT_FALSE(entry.second.grad().defined());
  const NamedTensors before = copies_of(weights);
  optimiser.step(1);
  EXPECT_TRUE(same_bits(weights, before));
}

TEST(AdamW, names_its_memory_after_the_weights) {
  const NamedTensors weights = fresh_weights(torch::kFloat64);
  AdamW optimiser(weights, {.beta1 = 0.75, .beta2 = 0.5});
  const NamedTensors memory = optimiser.memory();
  ASSERT_EQ(memory.size(), 6U);
  EXPECT_EQ(memory[0].first, "first.w0");
  EXPECT_EQ(memory[1].first, "second.w0");
  EXPECT_EQ(memory[5].first, "second.w2");
  set_gradients(weights, 0);
  optimiser.step(0.1);  // the tensors are the memory itself
  const Tensor gradient = weights[0].second.grad();
  EXPECT_TRUE(close(memory[0].second, 0.25 * gradient, 1e-15));
  EXPECT_TRUE(close(memory[1].second, 0.5 * gradient.square(), 1e-15));
}

// Weights after 6 steps, of which the first 3 were done by another object and came through a file.
NamedTensors through_a_file(torch::ScalarType type, bool with_steps) {
  const TemporaryFolder folder;
  const AdamWOptions options = {.weight_decay = 0.1};
  const auto advance = [](AdamW& optimiser, const NamedTensors& weights, int64_t from, int64_t to) {
    for (int64_t step = from; step < to; ++step) {
      set_gradients(weights, step);
      optimiser.step(lr_of(step));
    }
  };
  {
    const NamedTensors weights = fresh_weights(type);
    AdamW optimiser(weights, options);
    advance(optimiser, weights, 0, 3);
    save_tensors(folder / "weights", weights);
    save_tensors(folder / "memory", optimiser.memory());
  }
  NamedTensors weights = fresh_weights(type);
  AdamW optimiser(weights, options);
  load_tensors(weights, SafetensorsFile::open(folder / "weights"));
  load_tensors(optimiser.memory(), SafetensorsFile::open(folder / "memory"));
  if (with_steps) optimiser.set_steps(3);
  advance(optimiser, weights, 3, 6);
  return weights;
}

TEST(AdamW, continues_bit_for_bit_from_its_restored_memory) {
  for (const torch::ScalarType type : kPrecisions) {
    const NamedTensors whole = fresh_weights(type);
    AdamW optimiser(whole, {.weight_decay = 0.1});
    for (int64_t step = 0; step < 6; ++step) {
      set_gradients(whole, step);
      optimiser.step(lr_of(step));
    }
    EXPECT_TRUE(same_bits(through_a_file(type, true), whole));
    EXPECT_FALSE(same_bits(through_a_file(type, false), whole)) << "the count does not matter";
  }
}

TEST(AdamWOptions, refuse_what_cannot_converge) {
  AdamWOptions adamw;
  OptionSet options;
  adamw.declare(options);
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"beta1", "1"},    {"beta1", "-0.1"},  {"beta2", "1"},
      {"epsilon", "0"},  {"epsilon", "-1"},  {"weight-decay", "-0.1"},
      {"beta2", "1e30"}, {"epsilon", "nan"}, {"weight-decay", "inf"}};
  for (const auto& [name, value] : wrong) {
    SCOPED_TRACE(name + " = " + value);
    expect_error(ErrorKind::usage, name, [&] { options.set_text(name, value); });
  }
  options.set_text("beta2", "0.95");
  EXPECT_EQ(adamw.beta2, 0.95);
}

}  // namespace
}  // namespace eqm::test
