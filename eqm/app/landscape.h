// Learns a 2-D landscape, descends it, measures the samples and draws it all beside Flow
// Matching.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/base/options.h"
#include "eqm/plane/options.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct LandscapeOptions {
  PlaneOptions plane = {};
  bool animate = false;
  std::string out = "out/landscape";
  // Tensors of a few hundred points are too small to share between threads.
  RuntimeOptions runtime = {.device = "cpu", .threads = 1, .precision = "float32"};

  void declare(OptionSet& options);
};

// Samples of one objective. Distances are sliced Wasserstein distances to the data.
struct LandscapeDescent {
  std::string objective = {};
  double distance = 0;
  std::map<std::string, int64_t> outcomes = {};  // samples by status, "converged" or "limit"
  double mean_steps = 0;
};

struct LandscapeResult {
  std::vector<LandscapeDescent> descents =
      {};  // the objective asked for, then Flow Matching if any
  std::optional<double> fresh_distance =
      {};                     // of other points of the data; none where there are few
  double noise_distance = 0;  // of where descent starts
  int64_t compared = 0;       // points that are compared at a time
  std::filesystem::path folder = {};
  std::vector<std::string> files = {};  // written there
  bool stopped = false;                 // nothing was written: a study is kept whole only
};

LandscapeResult run(const LandscapeOptions& options, Host& host);

}  // namespace eqm::app
