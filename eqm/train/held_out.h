// The loss on data that were not trained on, over all of γ and in buckets of it: where along the
// way from noise to data the landscape is still wrong.
#pragma once

#include <optional>
#include <vector>

#include "eqm/codec/codec.h"
#include "eqm/data/source.h"
#include "eqm/landscape/model.h"
#include "eqm/train/measurement.h"

namespace eqm {

inline constexpr int64_t kGammaBuckets = 10;

struct HeldOutLoss {
  double mean = 0;
  std::vector<double> by_gamma;    // of each tenth of [0, 1]; NaN where no example fell
  std::optional<double> accuracy;  // share of right labels, of a classifier
};

// Pictures are encoded where the model learns from latents. Example i always gets the same noise
// and γ for a seed, so that losses of different steps compare.
HeldOutLoss held_out_loss(const Model& model, const Codec& codec, const Source& examples,
                          uint64_t seed, int64_t batch, const torch::TensorOptions& type);

// The same at intervals of a run: held_out_loss, held_out_loss/gamma_0.0 and so on, and
// held_out_accuracy of a classifier.
Measurement held_out_measurement(SourcePtr examples, uint64_t seed, int64_t batch,
                                 const torch::TensorOptions& type, int64_t every);

}  // namespace eqm
