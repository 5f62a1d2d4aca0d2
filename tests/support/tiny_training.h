// Training that takes milliseconds: data made from a seed, networks of a few thousand weights, and
// states of training compared bit by bit.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/weights.h"
#include "eqm/tensor/named_tensors.h"
#include "eqm/tensor/noise_tensor.h"
#include "eqm/train/options.h"
#include "eqm/train/step.h"

namespace eqm::test {

// The batch of a step, a pure function of it, in the shape and precision of the network.
inline TrainingBatch made_batch(int64_t step, int64_t rows, const Backbone& backbone) {
  const torch::TensorOptions type = options_of(backbone);
  const auto key = [&](uint32_t draw) {
    return NoiseKey{.seed = 31, .sample = static_cast<uint64_t>(step * rows), .draw = draw};
  };
  const Shape shape = backbone.state_shape();
  TrainingBatch batch = {
      .x = (0.5 * normal_rows(key(0), rows, shape, torch::kFloat64) + 1).to(type),
      .noise = normal_rows(key(1), rows, shape, torch::kFloat64).to(type),
      .gamma = uniform_rows(key(2), rows, torch::kFloat64).to(type),
      .labels = {}};
  if (backbone.num_classes() > 0) {
    batch.labels = torch::arange(step, step + rows).remainder(backbone.num_classes());
  }
  return batch;
}

// All that a step changes, by name; the tensors are those of the state.
inline NamedTensors tensors_of(const TrainingState& state) {
  NamedTensors all;
  const auto add = [&all](const std::string& prefix, const NamedTensors& some) {
    for (const auto& [name, tensor] : some) all.emplace_back(prefix + name, tensor);
  };
  add("weights.", weights_of(*state.model.backbone));
  add("average.", weights_of(*state.ema.backbone()));
  add("memory.", state.optimiser.memory());
  return all;
}

inline NamedTensors copies_of(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors) copies.emplace_back(name, tensor.detach().clone());
  return copies;
}

inline ::testing::AssertionResult same_bits(const NamedTensors& actual,
                                            const NamedTensors& expected) {
  if (actual.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << actual.size() << " tensors where " << expected.size() << " are expected";
  }
  for (size_t i = 0; i < actual.size(); ++i) {
    if (actual[i].first != expected[i].first ||
        !torch::equal(actual[i].second, expected[i].second)) {
      return ::testing::AssertionFailure() << actual[i].first << " differs";
    }
  }
  return ::testing::AssertionSuccess();
}

// Takes steps on made batches until `steps` are done.
inline void train_to(int64_t steps, TrainingState& state, const TrainOptions& options) {
  while (state.step < steps) {
    const TrainingBatch batch = made_batch(state.step, 4, *state.model.backbone);
    train_step(state, options, {&batch, 1}, Runtime());
  }
}

struct MadeSet {
  int64_t count = 24;
  Shape shape = {1, 8, 8};
  int64_t classes = 3;  // 0: no labels
  uint64_t seed = 0;
  torch::ScalarType type = torch::kUInt8;
};

// A data set as a safetensors file: pixels that grow lighter from class to class, or normal states.
inline std::filesystem::path write_set(const std::filesystem::path& path, const MadeSet& set) {
  Tensor values = normal_rows({.seed = set.seed}, set.count, set.shape, torch::kFloat64);
  std::vector<std::string> names;
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;
  if (set.classes > 0) {
    const Tensor labels = torch::arange(set.count).remainder(set.classes);
    for (int64_t k = 0; k < set.classes; ++k) names.push_back("class " + std::to_string(k));
    tensors.emplace_back("labels", labels);
    metadata["class_names"] = nlohmann::json(names).dump();
    Shape each(set.shape.size() + 1, 1);
    each[0] = set.count;
    values = values + labels.reshape(each);
  }
  if (set.type == torch::kUInt8) values = (60 + 40 * values).clamp(0, 255).round();
  tensors.emplace_back("x", values.to(set.type));
  save_tensors(path, tensors, metadata);
  return path;
}

// A run over such a file: a SiT of width 16 in 4x4 patches, six steps, nothing but the last
// checkpoint.
inline TrainOptions tiny_options(const std::filesystem::path& data) {
  TrainOptions options;
  options.data.data = data.string();
  options.data.held_out = 0;
  options.model.width = 16;
  options.model.depth = 1;
  options.model.heads = 2;
  options.steps = 6;
  options.batch = 4;
  options.schedule.lr = 1e-3;
  options.ema = 0.9;
  options.descent.limit = 2;
  options.cadence = {.log_every = 1,
                     .evaluate_every = 0,
                     .sample_every = 0,
                     .checkpoint_every = 0,
                     .keep_last = 2,
                     .keep_every = 0,
                     .preview = 1};
  return options;
}

}  // namespace eqm::test
