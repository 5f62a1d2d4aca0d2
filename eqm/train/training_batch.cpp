#include "eqm/train/training_batch.h"

#include "eqm/base/draws.h"
#include "eqm/codec/states.h"
#include "eqm/tensor/noise_tensor.h"

namespace eqm {

TrainingBatch make_training_batch(const Batch& batch, const Codec& codec,
                                  const Randomness& randomness, int64_t first_row,
                                  const torch::TensorOptions& type) {
  const auto key = [&](Draw draw) {
    return NoiseKey{
        .seed = randomness.seed, .sample = static_cast<uint64_t>(first_row), .draw = draw};
  };
  const int64_t rows = batch.shape.front();
  TrainingBatch result;
  result.x = drawn_states(batch, codec, key(draw_posterior), type);
  result.noise = normal_rows(key(draw_noise), rows, result.x.sizes().slice(1).vec(), type);
  result.gamma = uniform_rows(key(draw_gamma), rows, type);
  result.dropout = seed_rows(key(draw_dropout), rows);
  if (batch.labels.front() == kNoLabel) return result;
  const Tensor labels = torch::tensor(batch.labels, torch::kInt64);
  const Tensor uniform = uniform_rows(key(draw_label_dropout), rows, torch::kFloat64);
  result.labels = drop_labels(labels, uniform, randomness.label_dropout, randomness.null_label)
                      .to(type.device());
  return result;
}

}  // namespace eqm
