// What a run writes down beside its loop: metrics, measurements, checkpoints and the model, in one
// folder (run_folder.h). It changes nothing of the training but for the window of losses. Of
// processes that train together one has a recorder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eqm/train/batch_stream.h"
#include "eqm/train/checkpoint.h"
#include "eqm/train/decisions.h"
#include "eqm/train/metrics.h"
#include "eqm/train/pace.h"
#include "eqm/train/run_folder.h"
#include "eqm/train/run_host.h"

namespace eqm {

// What a record is of.
struct Recorded {
  RunPaths paths;
  std::string config;  // what the folder keeps of the options
  RunIdentity identity;
  std::vector<Checkpoint> damaged;  // of steps that will be taken again
  std::vector<Measurement> measurements;
  int64_t examples = 0;  // of the training data
};

// The arguments of its constructor must outlive it.
class RunRecorder {
 public:
  RunRecorder(Recorded recorded, const TrainOptions& options, const Decisions& decisions,
              const RunHost& host, const BatchStream& batches, const Codec& codec,
              TrainingState& state);

  // Before the loop: measures what the step of the checkpoint still owes, because the run before
  // was stopped or killed between the two.
  void start();
  void after_step(const StepReport& report);
  // After an error that ends the loop: a checkpoint of the last step, if possible.
  void keep_work() noexcept;
  // After the loop: the last checkpoint and the model.
  RunSummary finish();

 private:
  void open();
  void log(const StepReport& report);
  void checkpoint();
  void make_up();
  void record(const Measurement& measurement);
  bool is_recorded(const Measurement& measurement) const;
  double epochs_of(int64_t steps) const;  // passes over the data that so many steps are
  std::optional<double> latest(const std::string& metric) const;

  Recorded recorded_;
  const TrainOptions& options_;
  const Decisions& decisions_;
  const RunHost& host_;
  const BatchStream& batches_;
  const Codec& codec_;
  TrainingState& state_;
  int64_t first_;  // steps that were done before
  // Not before there is something to keep: what is refused until then leaves no trace.
  std::optional<MetricsLog> metrics_;
  Pace pace_;
  std::string note_;                      // of the last line of metrics
  std::map<std::string, double> latest_;  // of every metric that was measured
};

}  // namespace eqm
