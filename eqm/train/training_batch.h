// Training batches: states on the device, and their randomness. Row r of all rows ever trained on
// gets the same noise, γ, hidden label and dropout in any run with this seed, in whatever batch,
// part of a batch or process it is computed.
#pragma once

#include <vector>

#include "eqm/codec/codec.h"
#include "eqm/data/batch.h"
#include "eqm/data/rows.h"
#include "eqm/landscape/gamma_draw.h"
#include "eqm/landscape/objective.h"

namespace eqm {

// Held-out rows have noise and γ of their own, the mean of posteriors and no dropout, so that
// losses of different steps compare.
enum class RowUse { training, held_out };

struct Randomness {
  uint64_t seed = 0;
  RowUse use = RowUse::training;
  double label_dropout = 0;
  int64_t null_label = -1;
  GammaDraw gamma = GammaDraw::uniform;
  bool labels = true;      // false: the network has no classes, whatever the data have
  double gamma_focus = 0;  // of γ on the data, down to 1-γ = gamma_least: see focused_gamma()
  double gamma_least = 0.02;
};

// Of states x [B, ...] and labels [B] on the host (undefined where there are none), which are those
// of `rows`. The result has the device and precision of x.
TrainingBatch make_training_batch(const Tensor& x, const Tensor& labels, const RowRange& rows,
                                  const Randomness& randomness);

// Of loaded examples: batch.rows says which rows they are.
TrainingBatch make_training_batch(const Batch& batch, const Codec& codec,
                                  const Randomness& randomness, const torch::TensorOptions& type);

// A batch in consecutive parts (part_of), which share its memory.
std::vector<TrainingBatch> parts_of(const TrainingBatch& batch, int64_t parts);

}  // namespace eqm
