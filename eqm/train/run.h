// A training run from start to end: data, steps, metrics, previews, checkpoints, in one folder. It
// can be killed at any moment and goes on from its last checkpoint to the same weights.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "eqm/base/log.h"
#include "eqm/base/processor_use.h"
#include "eqm/base/progress.h"
#include "eqm/codec/codec.h"
#include "eqm/landscape/model.h"
#include "eqm/train/loss_window.h"
#include "eqm/train/metrics.h"
#include "eqm/train/options.h"
#include "eqm/train/run_folder.h"

namespace eqm {

// What a caller wants to know of the averaged model at intervals (cadence.quality_every), such as
// how far its samples are from data; the codec makes pictures of them.
class QualityProbe {
 public:
  virtual ~QualityProbe() = default;

  // Refuses, before training starts, a model that could not be measured.
  virtual void check(const Model& model, const Codec& codec) const = 0;
  // The name of a value that is always measured: a step without it was not measured.
  virtual std::string metric() const = 0;
  // Nothing when it was told to stop.
  virtual std::optional<MetricValues> measure(const Model& model, const Codec& codec) const = 0;
};

// What the caller provides.
struct RunHost {
  std::shared_ptr<Logger> log;
  Progress& progress;
  std::function<bool()> stop_requested;  // asked around every step and while a preview is drawn
  torch::TensorOptions type;             // device and precision to compute with
  bool autocast = false;                 // matrix products in bfloat16
  const QualityProbe* quality = nullptr;
  // Asked at every line of metrics, to notice that other programs take the processors.
  std::function<std::optional<ProcessorUse>()> processor_use = eqm::processor_use;
};

enum class RunStart {
  fresh,   // the folder must not hold a run
  resume,  // goes on from the latest checkpoint, or from the beginning when there is none yet
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

// `config` makes what the folder keeps of the options, from those that are resolved: epochs have
// become steps.
RunSummary run_training(const TrainOptions& asked,
                        const std::function<std::string(const TrainOptions& resolved)>& config,
                        const RunPaths& paths, RunStart start, const RunHost& host);

}  // namespace eqm
