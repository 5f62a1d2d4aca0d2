// The pictures that an evaluation measures: those of a model, or those that are there.
#pragma once

#include "eqm/app/evaluate.h"
#include "eqm/codec/codec.h"
#include "eqm/data/source.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

// Kind usage or input when the model's samples do not suit the network, the descent does not suit
// the model, or the machine lacks the memory for all of them.
void require_evaluable(const EvaluateOptions& options, const LearnedField& field,
                       const Codec& codec, const FeatureNet& network);

// Samples of a model, and what they took.
struct DrawnPictures {
  SourcePtr pictures;           // null when the host asked for a stop
  double mean_evaluations = 0;  // of the field, per sample
};

// With labels in turn.
DrawnPictures drawn_pictures(const EvaluateOptions& options, const LearnedField& field,
                             const Codec& codec, Host& host);

// The pictures that were given, two at least: the test part where there are parts.
SourcePtr given_pictures(const EvaluateOptions& options, const FeatureNet& network, Host& host);

// As many held-out real pictures as samples, if there are any, and as many of pure noise.
std::vector<std::pair<std::string, SourcePtr>> ends_of_the_scale(const EvaluateOptions& options,
                                                                 const Source& samples,
                                                                 const FeatureNet& network,
                                                                 Host& host);

}  // namespace eqm::app
