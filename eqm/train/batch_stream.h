// The batches of a run: examples from a loader, encoded, with their randomness. One caller at a
// time.
#pragma once

#include <memory>
#include <vector>

#include "eqm/base/log.h"
#include "eqm/data/loader.h"
#include "eqm/train/options.h"
#include "eqm/train/setup.h"
#include "eqm/train/training_batch.h"

namespace eqm {

class BatchStream {
 public:
  // Begins with the batch of step `first`. `data` must outlive it.
  BatchStream(const TrainOptions& options, const TrainingData& data, const Model& model,
              int64_t first, const torch::TensorOptions& type, std::shared_ptr<Logger> log);

  // The batch of the next step, in the parts that options.accumulate asks for.
  std::vector<TrainingBatch> next();

  // Time spent waiting for data, and different damaged examples that were skipped, so far.
  double waited_seconds() const { return loader_.waited_seconds(); }
  int64_t skipped() const { return loader_.skipped(); }

 private:
  const Codec& codec_;
  Randomness randomness_;
  int64_t parts_;
  torch::TensorOptions type_;
  Loader loader_;
};

}  // namespace eqm
