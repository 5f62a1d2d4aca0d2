#include "eqm/train/held_out.h"

#include <cmath>

#include <gtest/gtest.h>

#include "eqm/base/draws.h"
#include "eqm/data/shard_source.h"
#include "eqm/data/tensor_source.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

constexpr uint64_t kSeed = 6;

class HeldOut : public ::testing::Test {
 protected:
  // 23 pixel images of the shape small_sit() takes, and as many labels.
  SourcePtr source(int64_t classes = 3) {
    return open_tensor_source(write_set(folder_ / "set.safetensors",
                                        {.count = 23, .shape = {2, 4, 4}, .classes = classes}));
  }

  // What the file holds, by another way.
  Tensor states() {
    const auto file = SafetensorsFile::open(folder_ / "set.safetensors");
    return (read_tensor(file, "x").to(torch::kFloat64) - 127.5) / 127.5;
  }

  static Model model(ObjectiveKind kind, torch::ScalarType type = torch::kFloat64) {
    Model made = model_of(small_sit(), kind);
    made.backbone->to(type);
    made.scaling = Scaling::pixels();
    return made;
  }

  static Tensor gammas() {
    return uniform_rows({.seed = kSeed, .draw = draw_held_out_gamma}, 23, torch::kFloat64);
  }

  TemporaryFolder folder_;
};

TEST_F(HeldOut, agrees_with_the_loss_computed_by_hand) {
  const SourcePtr examples = source();
  for (const auto& [name, kind] : field_objective_names()) {
    const Model subject = model(kind);
    const TrainingBatch batch = {.x = states(),
                                 .noise = normal_rows({.seed = kSeed, .draw = draw_held_out_noise},
                                                      23, {2, 4, 4}, torch::kFloat64),
                                 .gamma = gammas(),
                                 .labels = torch::arange(23).remainder(3)};
    const Tensor losses = loss(*subject.backbone, subject.objective, 1, batch).per_sample.detach();
    const HeldOutLoss result =
        held_out_loss(subject, subject.scaling, *examples, kSeed, 5, torch::kFloat64);
    // Bytes become states in float32.
    EXPECT_NEAR(result.mean, losses.mean().item<double>(), 1e-6 * result.mean) << name;
    for (int64_t bucket = 0; bucket < kGammaBuckets; ++bucket) {
      const Tensor inside = (batch.gamma * 10).floor() == bucket;
      const double found = result.by_gamma[static_cast<size_t>(bucket)];
      if (!inside.any().item<bool>()) {
        EXPECT_TRUE(std::isnan(found)) << bucket;
        continue;
      }
      const double expected = losses.masked_select(inside).mean().item<double>();
      EXPECT_NEAR(found, expected, 1e-6 * expected) << name << " " << bucket;
    }
  }
}

TEST_F(HeldOut, buckets_average_to_the_mean) {
  const HeldOutLoss result =
      held_out_loss(model(ObjectiveKind::eqm), Scaling{}, *source(), kSeed, 8, torch::kFloat64);
  ASSERT_EQ(static_cast<int64_t>(result.by_gamma.size()), kGammaBuckets);
  double sum = 0;
  for (int64_t bucket = 0; bucket < kGammaBuckets; ++bucket) {
    const double count = ((gammas() * 10).floor() == bucket).sum().item<double>();
    if (count > 0) sum += count * result.by_gamma[static_cast<size_t>(bucket)];
  }
  EXPECT_NEAR(sum / 23, result.mean, 1e-12 * result.mean);
}

TEST_F(HeldOut, is_the_same_every_time_and_another_for_another_seed) {
  const SourcePtr examples = source();
  for (const torch::ScalarType type : kPrecisions) {
    const Model subject = model(ObjectiveKind::eqm, type);
    const auto value = [&](uint64_t seed) {
      return held_out_loss(subject, subject.scaling, *examples, seed, 8, type).mean;
    };
    EXPECT_EQ(value(1), value(1));
    EXPECT_NE(value(1), value(2));
  }
}

TEST_F(HeldOut, does_not_depend_on_the_batch) {
  const SourcePtr examples = source();
  for (const torch::ScalarType type : kPrecisions) {
    const Model subject = model(ObjectiveKind::eqm_dot, type);
    const double whole = held_out_loss(subject, subject.scaling, *examples, kSeed, 23, type).mean;
    for (const int64_t batch : {1, 7, 22, 1000}) {
      EXPECT_NEAR(held_out_loss(subject, subject.scaling, *examples, kSeed, batch, type).mean,
                  whole, tolerance(type, 1e-5) * whole)
          << batch;
    }
  }
}

TEST_F(HeldOut, one_example_falls_into_one_bucket) {
  const HeldOutLoss result =
      held_out_loss(model(ObjectiveKind::eqm), Scaling{}, *range_source(source(), 0, 1), kSeed, 8,
                    torch::kFloat64);
  const auto own = static_cast<size_t>(gammas()[0].item<double>() * 10);
  for (size_t bucket = 0; bucket < result.by_gamma.size(); ++bucket) {
    EXPECT_EQ(std::isnan(result.by_gamma[bucket]), bucket != own) << bucket;
  }
  EXPECT_EQ(result.by_gamma[own], result.mean);
}

TEST_F(HeldOut, shows_labels_where_there_are_some) {
  const Model subject = model(ObjectiveKind::eqm);
  const double labelled =
      held_out_loss(subject, subject.scaling, *source(3), kSeed, 8, torch::kFloat64).mean;
  const double bare =
      held_out_loss(subject, subject.scaling, *source(0), kSeed, 8, torch::kFloat64).mean;
  EXPECT_TRUE(std::isfinite(bare));
  EXPECT_NE(labelled, bare);
}

TEST_F(HeldOut, leaves_the_dispersive_loss_out_and_the_model_alone) {
  Model subject = model(ObjectiveKind::eqm);
  const NamedTensors before = copies_of(weights_of(*subject.backbone));
  const SourcePtr examples = source();
  const double plain =
      held_out_loss(subject, subject.scaling, *examples, kSeed, 8, torch::kFloat64).mean;
  subject.objective.dispersive_weight = 0.5;
  EXPECT_EQ(held_out_loss(subject, subject.scaling, *examples, kSeed, 8, torch::kFloat64).mean,
            plain);
  EXPECT_TRUE(same_bits(weights_of(*subject.backbone), before));
  for (const auto& entry : weights_of(*subject.backbone)) {
    EXPECT_FALSE(entry.second.grad().defined());
  }
}

}  // namespace
}  // namespace eqm::test
