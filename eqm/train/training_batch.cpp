#include "eqm/train/training_batch.h"

#include "eqm/base/draws.h"
#include "eqm/codec/states.h"
#include "eqm/landscape/corruption.h"
#include "eqm/tensor/noise_tensor.h"

namespace eqm {
namespace {

NoiseKey key_of(const Randomness& randomness, const RowRange& rows, Draw draw) {
  return {.seed = randomness.seed, .sample = static_cast<uint64_t>(rows.first), .draw = draw};
}

}  // namespace

TrainingBatch make_training_batch(const Tensor& x, const Tensor& labels, const RowRange& rows,
                                  const Randomness& randomness) {
  const auto key = [&](Draw draw) { return key_of(randomness, rows, draw); };
  const bool held_out = randomness.use == RowUse::held_out;
  const torch::TensorOptions type = x.options();
  TrainingBatch result;
  result.x = x;
  result.noise = normal_rows(key(held_out ? draw_held_out_noise : draw_noise), rows.count,
                             x.sizes().slice(1).vec(), type);
  const Tensor uniform_gamma =
      uniform_rows(key(held_out ? draw_held_out_gamma : draw_gamma), rows.count, torch::kFloat64);
  const Tensor gamma = gamma_from(randomness.gamma, uniform_gamma);
  result.gamma = focused_gamma(gamma, randomness.gamma_focus, randomness.gamma_least).to(type);
  if (!held_out) result.dropout = seed_rows(key(draw_dropout), rows.count);
  if (!labels.defined()) return result;
  const Tensor uniform = uniform_rows(key(draw_label_dropout), rows.count, torch::kFloat64);
  result.labels = drop_labels(labels, uniform, randomness.label_dropout, randomness.null_label)
                      .to(type.device());
  return result;
}

TrainingBatch make_training_batch(const Batch& batch, const Codec& codec,
                                  const Randomness& randomness, const torch::TensorOptions& type) {
  Tensor labels;
  const bool labelled = randomness.labels && batch.labels.front() != kNoLabel;
  if (labelled) labels = torch::tensor(batch.labels, torch::kInt64);
  const Tensor x =
      randomness.use == RowUse::held_out
          ? states_of(batch, codec, type)
          : drawn_states(batch, codec, key_of(randomness, batch.rows, draw_posterior), type);
  return make_training_batch(x, labels, batch.rows, randomness);
}

std::vector<TrainingBatch> parts_of(const TrainingBatch& batch, int64_t parts) {
  if (parts == 1) return {batch};
  std::vector<TrainingBatch> result;
  for (int64_t i = 0; i < parts; ++i) {
    const RowRange rows = part_of({.first = 0, .count = batch.x.size(0)}, i, parts);
    const auto some = [&](const Tensor& tensor) {
      return tensor.defined() ? tensor.narrow(0, rows.first, rows.count) : tensor;
    };
    result.push_back({.x = some(batch.x),
                      .noise = some(batch.noise),
                      .gamma = some(batch.gamma),
                      .labels = some(batch.labels),
                      .dropout = some(batch.dropout)});
  }
  return result;
}

}  // namespace eqm
