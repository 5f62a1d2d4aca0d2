// From loaded examples to a training batch: states on the device, and their randomness. Row r of
// the stream of all examples gets the same noise, γ and dropout in any run with this seed.
#pragma once

#include "eqm/codec/codec.h"
#include "eqm/data/loader.h"
#include "eqm/landscape/objective.h"

namespace eqm {

struct Randomness {
  uint64_t seed = 0;
  double label_dropout = 0;
  int64_t null_label = -1;
};

// `first_row` is the place of the batch's first row in the stream of all rows ever trained on.
TrainingBatch make_training_batch(const Batch& batch, const Codec& codec,
                                  const Randomness& randomness, int64_t first_row,
                                  const torch::TensorOptions& type);

}  // namespace eqm
