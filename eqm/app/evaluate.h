// Measures how like the data a model's samples or given pictures are, in every usual way at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/app/comparison.h"
#include "eqm/app/evaluation_output.h"
#include "eqm/app/host.h"
#include "eqm/app/start_images.h"
#include "eqm/base/options.h"
#include "eqm/codec/options.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/guidance.h"
#include "eqm/measure/set_evaluation.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct EvaluateOptions {
  std::string model = {},
              pictures = {};    // one of them, or none where statistics are all that is wanted
  std::string statistics = {};  // a file for those of the reference; empty for none
  bool save_pictures = false;   // in that file, too
  ComparisonOptions comparison = {};
  int64_t samples = 2000, seed = 0;
  std::string labels = {};  // as labels_in_turn() takes them
  GuidanceOptions guidance = {};
  StartOptions start = {};
  bool floor = false;  // also measures real pictures and noise
  EvaluationOptions evaluation = {};
  DescentOptions descent = {};
  std::string out = "out/evaluation";
  CodecOptions codec = {};
  RuntimeOptions runtime = {};

  void declare(OptionSet& options);
};

struct EvaluateResult {
  // "samples" or "pictures", then "real" and "noise" where a floor was asked for; empty when only
  // statistics were made.
  std::vector<EvaluatedSet> sets = {};
  double mean_evaluations = 0;          // of the field, per sample; 0 for given pictures
  std::string distance = {};            // what the Fréchet distance is called: "FID", "FD"
  std::vector<std::string> files = {};  // written, with their folder
  bool stopped = false;                 // before all was measured; statistics may have been written
};

EvaluateResult run(const EvaluateOptions& options, Host& host);

// A table for people; empty where nothing was measured.
std::string text_of(const EvaluateResult& result);

}  // namespace eqm::app
