#include "eqm/train/training_batch.h"

#include <gtest/gtest.h>

#include "eqm/base/draws.h"
#include "eqm/codec/states.h"
#include "eqm/data/batch.h"
#include "eqm/data/tensor_source.h"
#include "eqm/landscape/corruption.h"
#include "eqm/tensor/noise_tensor.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

Batch made(const TemporaryFolder& folder, const MadeSet& set, int64_t first, int64_t count,
           int64_t first_row = 0) {
  const auto source = open_tensor_source(write_set(folder / "set.safetensors", set));
  Batch batch = read_batch(*source, first, count);
  batch.rows = {.first = first_row, .count = count};
  return batch;
}

TEST(TrainingBatch, holds_pixels_as_states_between_minus_one_and_one) {
  const TemporaryFolder folder;
  const Batch batch = made(folder, {.shape = {1, 2, 2}}, 0, 24);
  for (const torch::ScalarType type : kPrecisions) {
    const Tensor x = states_of(batch, Scaling::pixels(), type);
    EXPECT_EQ(x.sizes(), Shape({24, 1, 2, 2}));
    EXPECT_EQ(x.scalar_type(), type);
    Tensor bytes = torch::empty({24, 1, 2, 2}, torch::kFloat64);
    for (int64_t i = 0; i < 96; ++i) {
      bytes.data_ptr<double>()[i] = static_cast<double>((*batch.bytes)[static_cast<size_t>(i)]);
    }
    EXPECT_TRUE(close(x, bytes / 127.5 - 1, 1e-6));
    EXPECT_GT(x.std().item<double>(), 0.1);
  }
}

TEST(TrainingBatch, hides_the_labels_from_a_network_without_classes) {
  const TemporaryFolder folder;
  const Batch batch = made(folder, {.shape = {1, 2, 2}}, 0, 4);
  const auto labels = [&](bool shown) {
    return make_training_batch(batch, Scaling::pixels(), {.labels = shown}, torch::kFloat32).labels;
  };
  EXPECT_TRUE(labels(true).defined());
  EXPECT_FALSE(labels(false).defined());
}

TEST(TrainingBatch, draws_gamma_by_the_distribution_that_was_chosen) {
  const Tensor x = torch::zeros({64, 1});
  const RowRange rows = {.first = 7, .count = 64};
  const Tensor uniform = make_training_batch(x.to(torch::kFloat64), {}, rows, {.seed = 3}).gamma;
  const Tensor skewed =
      make_training_batch(x.to(torch::kFloat64), {}, rows, {.seed = 3, .gamma = GammaDraw::skewed})
          .gamma;
  EXPECT_TRUE(torch::equal(skewed, gamma_from(GammaDraw::skewed, uniform)));
  EXPECT_GT(skewed.mean().item<double>(), uniform.mean().item<double>());
}

TEST(TrainingBatch, draws_are_those_of_the_rows_place_in_the_stream) {
  const TemporaryFolder folder;
  const MadeSet set = {.shape = {1, 2, 2}};
  const Randomness randomness = {.seed = 8, .label_dropout = 0.5, .null_label = 3};
  for (const torch::ScalarType type : kPrecisions) {
    const TrainingBatch whole =
        make_training_batch(made(folder, set, 0, 8, 40), Scaling::pixels(), randomness, type);
    const TrainingBatch part =
        make_training_batch(made(folder, set, 4, 3, 44), Scaling::pixels(), randomness, type);
    EXPECT_TRUE(torch::equal(part.x, whole.x.narrow(0, 4, 3)));
    EXPECT_TRUE(torch::equal(part.noise, whole.noise.narrow(0, 4, 3)));
    EXPECT_TRUE(torch::equal(part.gamma, whole.gamma.narrow(0, 4, 3)));
    EXPECT_TRUE(torch::equal(part.labels, whole.labels.narrow(0, 4, 3)));
    EXPECT_TRUE(torch::equal(part.dropout, whole.dropout.narrow(0, 4, 3)));
    EXPECT_TRUE(torch::equal(whole.noise, normal_rows({.seed = 8, .sample = 40, .draw = draw_noise},
                                                      8, {1, 2, 2}, type)));
    EXPECT_TRUE(torch::equal(whole.gamma,
                             uniform_rows({.seed = 8, .sample = 40, .draw = draw_gamma}, 8, type)));
  }
}

TEST(TrainingBatch, held_out_rows_have_draws_of_their_own_and_no_dropout) {
  const TemporaryFolder folder;
  const Batch batch = made(folder, {.shape = {1, 2, 2}}, 0, 8, 40);
  const auto with = [&](RowUse use) {
    return make_training_batch(batch, Scaling::pixels(), {.seed = 8, .use = use}, torch::kFloat32);
  };
  const TrainingBatch training = with(RowUse::training), held_out = with(RowUse::held_out);
  EXPECT_TRUE(torch::equal(held_out.x, training.x));
  EXPECT_TRUE(torch::equal(held_out.labels, training.labels));
  EXPECT_FALSE(torch::equal(held_out.noise, training.noise));
  EXPECT_FALSE(torch::equal(held_out.gamma, training.gamma));
  EXPECT_TRUE(training.dropout.defined());
  EXPECT_FALSE(held_out.dropout.defined());
}

TEST(TrainingBatch, hides_labels_as_often_as_asked) {
  const TemporaryFolder folder;
  const Batch batch = made(folder, {.count = 2000, .shape = {1, 1, 1}}, 0, 2000);
  const Tensor labels = torch::tensor(batch.labels, torch::kInt64);
  const auto shown = [&](double dropout) {
    return make_training_batch(batch, Scaling::pixels(),
                               {.seed = 1, .label_dropout = dropout, .null_label = 3},
                               torch::kFloat32)
        .labels;
  };
  EXPECT_TRUE(torch::equal(shown(0), labels));
  EXPECT_TRUE((shown(1) == 3).all().item<bool>());
  const Tensor some = shown(0.25), hidden = some == 3;
  EXPECT_NEAR(hidden.to(torch::kFloat64).mean().item<double>(), 0.25, 0.05);
  EXPECT_TRUE(torch::equal(torch::where(hidden, labels, some), labels));
}

TEST(TrainingBatch, in_parts_is_the_batch_cut_between_rows) {
  const TemporaryFolder folder;
  const Randomness randomness = {.seed = 8, .label_dropout = 0.5, .null_label = 3};
  const TrainingBatch whole = make_training_batch(made(folder, {.shape = {1, 2, 2}}, 0, 8),
                                                  Scaling::pixels(), randomness, torch::kFloat32);
  const std::vector<TrainingBatch> parts = parts_of(whole, 4);
  ASSERT_EQ(parts.size(), 4U);
  const auto together = [&](Tensor TrainingBatch::*member) {
    std::vector<Tensor> all;
    for (const TrainingBatch& part : parts) {
      EXPECT_EQ((part.*member).size(0), 2);
      all.push_back(part.*member);
    }
    return torch::cat(all);
  };
  for (const auto member : {&TrainingBatch::x, &TrainingBatch::noise, &TrainingBatch::gamma,
                            &TrainingBatch::labels, &TrainingBatch::dropout}) {
    EXPECT_TRUE(torch::equal(together(member), whole.*member));
  }
}

TEST(TrainingBatch, draws_gamma_near_the_data_when_it_is_focused) {
  const RowRange rows = {.first = 7, .count = 500};
  const Tensor x = torch::zeros({500, 2});
  const Tensor uniform =
      uniform_rows({.seed = 3, .sample = 7, .draw = draw_gamma}, 500, torch::kFloat64);
  const Tensor plain = make_training_batch(x, {}, rows, {.seed = 3}).gamma;
  EXPECT_TRUE(torch::equal(plain, uniform.to(torch::kFloat32)));
  const Tensor focused =
      make_training_batch(x, {}, rows, {.seed = 3, .gamma_focus = 2, .gamma_least = 0.1}).gamma;
  EXPECT_TRUE(torch::equal(focused, focused_gamma(uniform, 2, 0.1).to(torch::kFloat32)));
  EXPECT_GT(focused.mean().item<double>(), plain.mean().item<double>() + 0.1);
}

TEST(TrainingBatch, has_no_labels_where_the_data_have_none) {
  const TemporaryFolder folder;
  const Batch batch = made(folder, {.shape = {5}, .classes = 0, .type = torch::kFloat32}, 0, 4);
  const TrainingBatch result = make_training_batch(
      batch, Scaling{.unit = 2}, {.label_dropout = 0.5, .null_label = 0}, torch::kFloat64);
  EXPECT_FALSE(result.labels.defined());
  EXPECT_EQ(result.x.sizes(), Shape({4, 5}));
  EXPECT_EQ(result.x.scalar_type(), torch::kFloat64);
}

}  // namespace
}  // namespace eqm::test
