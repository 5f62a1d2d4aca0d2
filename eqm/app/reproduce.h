// Runs experiments of the paper: trains their models, measures them, and says which claims hold.
// Models and measurements are kept in a lab folder, shared between experiments, and found again
// after a stop or a kill.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/app/lab/experiment_result.h"
#include "eqm/base/options.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct ReproduceOptions {
  std::string experiment;  // a name, a TOML file, "all" or "list"
  std::string out = "lab";
  std::string scale = "small";
  std::string data = "data";
  int64_t seeds = 1;
  bool only_trained = false;  // leaves out models that are not trained yet
  RuntimeOptions runtime = {};

  void declare(OptionSet& options);
};

struct ReproduceResult {
  std::vector<Experiment> listed = {};         // where a list was asked for, and nothing else
  std::vector<ExperimentResult> results = {};  // of the experiments that are complete
  std::vector<std::string> skipped = {};       // sentences: what could not be run, and why
  bool stopped = false;                        // the same command continues
};

ReproduceResult run(const ReproduceOptions& options, Host& host);

// The list, or the tables and verdicts.
std::string text_of(const ReproduceResult& result);

// The experiments that come with the program.
std::vector<Experiment> known_experiments();

}  // namespace eqm::app
