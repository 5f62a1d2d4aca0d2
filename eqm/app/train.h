// Trains a model in a run folder, measuring the quality of its samples on the way if asked to.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/app/comparison.h"
#include "eqm/app/host.h"
#include "eqm/base/options.h"
#include "eqm/tensor/runtime.h"
#include "eqm/train/options.h"
#include "eqm/train/run.h"

namespace eqm::app {

struct TrainingOptions {
  TrainOptions training = {};
  ComparisonOptions comparison = {.reference = ""};  // empty: the data trained on
  int64_t quality_samples = 512;
  RuntimeOptions runtime = {};
  std::string out = "runs/train";
  bool resume = false;  // the run in that folder, whose own options these are

  void declare(OptionSet& options);
};

struct TrainingResult {
  RunSummary summary = {};
  std::string model = {};  // the file of the averaged weights
  bool stopped = false;    // before the last step; {resume} continues
};

TrainingResult run(const TrainingOptions& options, Host& host);

}  // namespace eqm::app
