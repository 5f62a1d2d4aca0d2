// What a run is made of: its data and its untrained model, from the options.
#pragma once

#include "eqm/base/log.h"
#include "eqm/data/source.h"
#include "eqm/landscape/model.h"
#include "eqm/train/checkpoint.h"
#include "eqm/train/options.h"

namespace eqm {

struct TrainingData {
  SourcePtr training;
  SourcePtr held_out;         // null when none is asked for
  std::string held_out_note;  // why it is a part of the training set, if so
  Shape shape;                // of one example
  Scaling scaling;
};

TrainingData open_training_data(const TrainDataOptions& options);

// A fresh model for the data, or the one that options.model.init names.
Model make_model(const TrainOptions& options, const TrainingData& data);

// What must stay the same when the run goes on.
RunIdentity identity_of(const TrainOptions& options, const TrainingData& data, const Model& model);

}  // namespace eqm
