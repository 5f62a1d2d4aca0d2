// What whoever starts a run provides, and what comes back.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "eqm/base/log.h"
#include "eqm/base/processor_use.h"
#include "eqm/base/progress.h"
#include "eqm/tensor/runtime.h"
#include "eqm/train/loss_window.h"
#include "eqm/train/measurement.h"

namespace eqm {

struct RunHost {
  std::shared_ptr<Logger> log;
  Progress& progress;
  std::function<bool()> stop_requested;  // asked around every step and while a preview is drawn
  Runtime runtime = {};                  // what all of the run is computed by
  // Beside the held-out loss and the previews that the options ask for.
  std::vector<Measurement> measurements = {};
  // Asked at every line of metrics, to notice that other programs take the processors.
  std::function<std::optional<ProcessorUse>()> processor_use = eqm::processor_use;
};

struct RunSummary {
  int64_t steps = 0;    // done in all
  int64_t planned = 0;  // of options or epochs
  double epochs = 0;    // done in all
  bool finished = false;
  LossMeans loss;  // of the last line of metrics
  std::optional<double> held_out_loss;
  std::optional<double> held_out_accuracy;  // of a classifier
  double seconds = 0;                       // of this process
  double images_per_second = 0;
  double data_share = 0;  // of the time, spent waiting for data
  int64_t skipped = 0;    // damaged examples
};

}  // namespace eqm
