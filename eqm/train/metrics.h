// What a run writes down as it goes: metrics.jsonl, one JSON object per line, and the same numbers
// and pictures as TensorBoard events.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eqm/io/image.h"
#include "eqm/io/jsonl.h"
#include "eqm/io/tensorboard.h"
#include "eqm/train/run_folder.h"

namespace eqm {

using MetricValues = std::vector<std::pair<std::string, double>>;

class MetricsLog {
 public:
  // Goes on after `step`: what a killed process wrote about later steps is dropped.
  MetricsLog(const RunPaths& paths, int64_t step);

  void write(int64_t step, const MetricValues& values);
  // Makes everything written so far survive a power cut.
  void flush();
  void image(int64_t step, const std::string& name, const Image& picture);

 private:
  LineLog lines_;
  EventWriter events_;
};

// One metric of a run over its steps.
struct MetricSeries {
  std::vector<int64_t> steps;
  std::vector<double> values;
};

// Reads one metric back; lines that are not ours are skipped.
MetricSeries read_metric(const RunPaths& paths, const std::string& name);

// Whether the metric is on record at that step, be it a number or not finite (null).
bool is_logged(const RunPaths& paths, const std::string& name, int64_t step);

}  // namespace eqm
