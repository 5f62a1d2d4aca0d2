// Scores how far sets of data are out of a model's distribution, by its landscape.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/app/score_output.h"
#include "eqm/codec/options.h"
#include "eqm/data/split.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct ScoreOptions {
  std::string model;  // empty: the shipped one
  std::string data;   // the set the model should know
  std::string against = "constant,noise";
  int64_t count = 512;
  Split part = Split::test;
  std::string label;  // empty: none
  int64_t batch = 64;
  std::string out = "out/score";
  CodecOptions codec;
  RuntimeOptions runtime;

  void declare(OptionSet& options);
};

struct ScoreResult {
  std::vector<ScoredSet> sets;     // the data first; none where it was stopped
  std::vector<std::string> files;  // written to `out`
  bool stopped = false;            // before all were scored; nothing is written
};

ScoreResult run(const ScoreOptions& options, Host& host);

}  // namespace eqm::app
