#include "eqm/measure/judge.h"

#include <algorithm>

#include "eqm/base/error.h"
#include "eqm/data/batch.h"
#include "eqm/tensor/bridge.h"

namespace eqm {
namespace {

constexpr int64_t kAtOnce = 256;

}  // namespace

Judge::Judge(Model classifier) : model_(std::move(classifier)) {
  if (!is_classifier(model_.objective.kind)) {
    throw Error(ErrorKind::input, "the judge must be a classifier, and this model is a landscape",
                "train one with recipes/fashion-classifier.toml, or use one of models/");
  }
}

Judge::Opinion Judge::of(const Tensor& pixels) const {
  const torch::NoGradGuard guard;
  std::vector<Tensor> features, probabilities;
  for (int64_t first = 0; first < pixels.size(0); first += kAtOnce) {
    const Tensor some = pixels.narrow(0, first, std::min(kAtOnce, pixels.size(0) - first));
    const Tensor states = model_.scaling.to_states(some).to(options_of(*model_.backbone));
    const Prediction prediction = model_.backbone->forward(states, {});
    features.push_back(prediction.features);
    probabilities.push_back(prediction.output.softmax(1));
  }
  if (features.empty()) throw Error(ErrorKind::usage, "there are no pictures to judge");
  const Tensor chances = torch::cat(probabilities);
  return {.features = torch::cat(features), .probabilities = chances, .labels = chances.argmax(1)};
}

Moments moments_of(const Judge& judge, const Source& pictures) {
  Moments moments;
  for (int64_t first = 0; first < pictures.size(); first += kAtOnce) {
    const Batch batch = read_batch(pictures, first, std::min(kAtOnce, pictures.size() - first));
    moments.add(judge.of(to_tensor(batch.view(), batch.bytes)).features);
  }
  return moments;
}

}  // namespace eqm
