// Whoever receives samples as they are done: a folder of files (sample_output.h), or a caller that
// wants the states themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/codec/codec.h"
#include "eqm/descend/engine.h"
#include "eqm/landscape/labels.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

// Where samples, which take their labels in turn, are shown: a row for each label.
struct GridLayout {
  int64_t rows = 1, count = 0;

  int64_t columns() const { return (count + rows - 1) / rows; }
  int64_t row_of(int64_t sample) const { return class_in_turn(sample, rows); }
  int64_t column_of(int64_t sample) const { return sample / rows; }
};

// What will be drawn. Refers to the model and the codec of its caller.
struct SamplingPlan {
  const Model& model;
  const Codec& codec;                       // of the model's states
  GridLayout layout;                        // which row a sample belongs to
  std::vector<std::string> row_names = {};  // empty where rows have none
  std::vector<int64_t> labels = {};         // of the rows; empty for mixtures and without classes
  // Of samples that start from images, one for each; empty for those that start from noise.
  std::vector<int64_t> sample_labels = {};      // in place of the rows'
  std::vector<std::string> sample_starts = {};  // where its image comes from
  std::string pictures = "pictures";            // the folder for them, within that of the output
};

// Samples are added in the order of their numbers, on a thread of its own, so that slow sinks do
// not stall the engine; another one watches meanwhile. What a sink throws ends the sampling.
class SampleSink {
 public:
  virtual ~SampleSink() = default;

  // Before the first sample; the plan lives until the last.
  virtual void begin(const SamplingPlan& /*plan*/) {}
  // A sample at the beginning of a step.
  virtual void watch(int64_t /*sample*/, const Sight& /*sight*/) {}
  // A sample that is done, or as it was when it was cancelled.
  virtual void add(int64_t sample, const Outcome& outcome) = 0;
};

}  // namespace eqm::app
