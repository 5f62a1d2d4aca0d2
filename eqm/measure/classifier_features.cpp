#include "eqm/measure/classifier_features.h"

#include <fmt/format.h>

#include "eqm/backbone/weights.h"
#include "eqm/base/error.h"

namespace eqm {

ClassifierFeatures::ClassifierFeatures(Model classifier) : model_(std::move(classifier)) {
  if (!is_classifier(model_.objective.kind)) {
    throw Error(ErrorKind::input, "features need a classifier, and this model is a landscape",
                "train one with recipes/fashion-classifier.toml, or use one of models/");
  }
  identity_ = fmt::format("classifier {:016x}", fingerprint_of(*model_.backbone));
}

FeatureNet::Opinion ClassifierFeatures::look(const Tensor& pixels) const {
  const Tensor states = model_.scaling.to_states(pixels).to(options_of(*model_.backbone));
  const Prediction prediction = model_.backbone->forward(states, {});
  const Tensor probabilities = prediction.output.softmax(1);
  return {.features = prediction.features,
          .spatial = {},
          .probabilities = probabilities,
          .labels = probabilities.argmax(1)};
}

}  // namespace eqm
