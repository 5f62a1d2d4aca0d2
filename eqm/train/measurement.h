// Something that a run measures of its averaged model at intervals, for its record: the held-out
// loss, a picture of samples, how far samples are from data. A run measures after the checkpoint of
// the same step; what a stop or a kill kept it from is made up for when it resumes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "eqm/codec/codec.h"
#include "eqm/io/image.h"
#include "eqm/landscape/model.h"
#include "eqm/train/metrics.h"

namespace eqm {

// A model at a step of its training; the codec makes pictures of its states.
struct Snapshot {
  Model model;
  const Codec& codec;
  int64_t step = 0;
};

// Goes into the log of metrics, and as NAME/step-NNNNNNN.png into the folder of the run.
struct MeasurementOutput {
  MetricValues values = {};
  std::optional<Image> picture = {};
};

struct Measurement {
  // A metric that is always among the values, or the name of the picture: a step for which the
  // record has neither was not measured.
  std::string name;
  int64_t every = 0;  // steps; also after the last one; 0: never
  // Nothing when it was stopped.
  std::function<std::optional<MeasurementOutput>(const Snapshot& snapshot)> measure;
  // Refuses, before training starts, a model that could not be measured. May be empty.
  std::function<void(const Snapshot& untrained)> validate = {};
};

}  // namespace eqm
