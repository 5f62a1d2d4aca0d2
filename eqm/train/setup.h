// What a run is made of: its data and its untrained model, from the options.
#pragma once

#include "eqm/codec/codec.h"
#include "eqm/data/source.h"
#include "eqm/landscape/model.h"
#include "eqm/train/checkpoint.h"
#include "eqm/train/options.h"

namespace eqm {

struct TrainingData {
  SourcePtr training;
  SourcePtr held_out;            // null when none is asked for or can be spared
  bool held_out_is_own = false;  // not taken from the training set
  Shape shape;                   // of one state
  Codec codec = Scaling{};       // makes states of examples, and pictures of states
};

// With an autoencoder, pictures are encoded as they are trained on.
TrainingData open_training_data(const TrainDataOptions& options,
                                std::shared_ptr<const Vae> autoencoder = nullptr);

enum class ModelStart {
  as_asked,  // with the weights of options.model.init, if it names a model
  as_built,  // not initialised, because a checkpoint will fill it
};

// Bytes that training in float32 cannot do without: weights with gradients, moments and average,
// and what a part of a batch keeps for its backward pass.
double least_memory(const TrainOptions& options, const TrainingData& data);

Model make_model(const TrainOptions& options, const TrainingData& data,
                 ModelStart start = ModelStart::as_asked);

// What must stay the same when the run is resumed.
RunIdentity identity_of(const TrainOptions& options, const TrainingData& data, const Model& model);

}  // namespace eqm
