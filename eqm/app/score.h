// Scores how far sets of data are out of a model's distribution, by its landscape.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/app/scored_set.h"
#include "eqm/codec/options.h"
#include "eqm/data/split.h"
#include "eqm/descend/score.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct ScoreOptions {
  std::string model;  // empty: the shipped one
  std::string data;   // the set the model should know
  std::string against = "constant,noise";
  int64_t count = 512;
  Split part = Split::test;
  ScoreKind by = ScoreKind::automatic;
  int64_t jpeg = 0;   // quality that the sets of `against` are re-encoded with; 0: none
  std::string label;  // empty: none
  int64_t batch = 64;
  std::string out = "out/score";
  CodecOptions codec;
  RuntimeOptions runtime;

  void declare(OptionSet& options);
};

struct ScoreResult {
  std::vector<ScoredSet> sets;       // the data first; none where it was stopped
  std::optional<Detection> average;  // over the other sets; nothing without any
  std::vector<std::string> files;    // written to `out`
  bool stopped = false;              // before all were scored; nothing is written
};

ScoreResult run(const ScoreOptions& options, Host& host);

// A table for people; empty where it was stopped.
std::string text_of(const ScoreResult& result);

}  // namespace eqm::app
