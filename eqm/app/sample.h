// Draws samples from a model: into a folder, or to a sink of the caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/app/sample_output.h"
#include "eqm/app/sample_sink.h"
#include "eqm/app/sample_tally.h"
#include "eqm/app/sampling_rows.h"
#include "eqm/codec/options.h"
#include "eqm/descend/options.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct SampleOptions {
  std::string model;  // empty: the shipped one
  SamplingRowsOptions rows;
  int64_t per_class = 8;
  int64_t count = 0;  // in all; 0: per_class of each
  int64_t seed = 0;
  DescentOptions descent;
  std::string beside;               // another model to draw in the same way; empty for none
  std::string out = "out/samples";  // empty: no files, for a sink alone
  OutputChoice files;
  int64_t capacity = 0;  // rows at once; 0 lets the engine choose
  CodecOptions codec;
  RuntimeOptions runtime;

  void declare(OptionSet& options);
};

struct SampleResult {
  int64_t asked = 0;  // samples
  SampleTally tally;
  std::vector<std::string> files;  // written to `out`
  int64_t npz_samples = 0;         // in the .npz; 0 without one
  bool stopped = false;            // before all were done
  // Stopped before any sample was done: what an earlier run had left in `out` was not touched.
  bool kept_earlier = false;
};

// Kind usage where there is neither a folder nor a sink.
SampleResult run(const SampleOptions& options, Host& host, SampleSink* sink = nullptr);

// Kind numeric when every sample diverged. For doors, once they have shown the result.
void require_some_sound(const SampleResult& result);

}  // namespace eqm::app
