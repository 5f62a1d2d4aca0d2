// A training run from start to end: data, steps, metrics, previews, checkpoints, in one folder. It
// can be killed at any moment and resumes from its last checkpoint to the same weights.
#pragma once

#include <functional>
#include <string>

#include "eqm/train/options.h"
#include "eqm/train/run_folder.h"
#include "eqm/train/run_host.h"

namespace eqm {

enum class RunStart {
  fresh,   // the folder must not hold a run
  resume,  // resumes from the latest checkpoint, or from the beginning when there is none yet
};

// `config` makes what the folder keeps of the options, from those that are resolved: epochs have
// become steps.
RunSummary run_training(const TrainOptions& asked,
                        const std::function<std::string(const TrainOptions& resolved)>& config,
                        const RunPaths& paths, RunStart start, const RunHost& host);

}  // namespace eqm
