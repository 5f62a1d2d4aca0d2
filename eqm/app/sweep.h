// Measures the quality of samples over a grid of sampler settings, of one model or several. What
// was measured is kept as soon as it is known, and a later sweep with the same settings takes it
// from there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eqm/app/comparison.h"
#include "eqm/app/host.h"
#include "eqm/app/sweep_output.h"
#include "eqm/base/options.h"
#include "eqm/codec/options.h"
#include "eqm/descend/options.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct SweepOptions {
  std::string model = "fashion-xs4";
  ComparisonOptions comparison = {};
  std::string grid = {};  // as sweep_grid.h reads it
  int64_t samples = 1000, seed = 0;
  std::string labels = {};  // as labels_in_turn() takes them
  GuidanceOptions guidance = {};
  StartOptions start = {};
  DescentOptions descent = {};
  std::string out = "out/sweep";
  CodecOptions codec = {};
  RuntimeOptions runtime = {};

  void declare(OptionSet& options);
};

// For doors that show results as they come.
struct SweepEvents {
  // Before the first point: the distance of as many real pictures, where it is known.
  std::function<void(std::optional<double> floor)> begun = [](std::optional<double>) {};
  // At every point, those known from an earlier sweep included; `setting` is its text.
  std::function<void(const std::string& setting, const Quality& quality)> measured =
      [](const std::string&, const Quality&) {};
};

struct SweepResult {
  std::optional<double> floor = {};
  std::vector<Axis> axes = {};
  std::vector<Measured> measured = {};  // in the order of the grid
  std::string folder = {};
  bool stopped = false;  // without table and charts; what was measured is kept for the next sweep
};

SweepResult run(const SweepOptions& options, Host& host, const SweepEvents& events = {});

}  // namespace eqm::app
