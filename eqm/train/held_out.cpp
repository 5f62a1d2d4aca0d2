#include "eqm/train/held_out.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "eqm/train/training_batch.h"

namespace eqm {

HeldOutLoss held_out_loss(const Model& model, const Codec& codec, const Source& examples,
                          uint64_t seed, int64_t batch, const torch::TensorOptions& type) {
  const torch::NoGradGuard guard;
  std::vector<double> sums(kGammaBuckets, 0), counts(kGammaBuckets, 0);
  const bool classifier = is_classifier(model.objective.kind);
  const bool labelled = classifier || model.backbone->num_classes() > 0;
  int64_t right = 0;
  const double buckets = kGammaBuckets;
  const Randomness randomness = {.seed = seed, .use = RowUse::held_out, .labels = labelled};
  for (int64_t first = 0; first < examples.size(); first += batch) {
    const int64_t count = std::min(batch, examples.size() - first);
    const TrainingBatch rows =
        make_training_batch(read_batch(examples, first, count), codec, randomness, type);
    Objective plain = model.objective;
    plain.dispersive_weight = 0;
    const Loss found = loss(*model.backbone, plain, model.output_sign, rows);
    if (classifier) {
      right += (found.prediction.argmax(1) == rows.labels).sum().item<int64_t>();
    }
    const Tensor losses = found.per_sample.to(torch::kFloat64).cpu().contiguous();
    const Tensor gammas = rows.gamma.to(torch::kFloat64).cpu().contiguous();
    for (int64_t i = 0; i < count; ++i) {
      const double place = std::floor(gammas.data_ptr<double>()[i] * buckets);
      const auto bucket = static_cast<size_t>(std::clamp(place, 0.0, buckets - 1));
      sums[bucket] += losses.data_ptr<double>()[i];
      counts[bucket] += 1;
    }
  }
  HeldOutLoss result;
  double sum = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!classifier) {
      result.by_gamma.push_back(counts[i] > 0 ? sums[i] / counts[i] : std::nan(""));
    }
    sum += sums[i];
  }
  const auto total = static_cast<double>(examples.size());
  result.mean = sum / total;
  if (classifier) result.accuracy = static_cast<double>(right) / total;
  return result;
}

Measurement held_out_measurement(SourcePtr examples, uint64_t seed, int64_t batch,
                                 const torch::TensorOptions& type, int64_t every) {
  const auto measure = [=, examples = std::move(examples)](const Snapshot& snapshot) {
    const HeldOutLoss loss =
        held_out_loss(snapshot.model, snapshot.codec, *examples, seed, batch, type);
    MeasurementOutput measured = {.values = {{"held_out_loss", loss.mean}}};
    if (loss.accuracy) measured.values.emplace_back("held_out_accuracy", *loss.accuracy);
    for (size_t i = 0; i < loss.by_gamma.size(); ++i) {
      if (std::isnan(loss.by_gamma[i])) continue;
      measured.values.emplace_back(fmt::format("held_out_loss/gamma_0.{}", i), loss.by_gamma[i]);
    }
    return std::optional(measured);
  };
  return {.name = "held_out_loss", .every = every, .measure = measure};
}

}  // namespace eqm
