#include "eqm/measure/feature_net.h"

#include <algorithm>
#include <vector>

#include "eqm/base/error.h"
#include "eqm/data/batch.h"
#include "eqm/tensor/bridge.h"

namespace eqm {

FeatureNet::Opinion FeatureNet::of(const Tensor& pixels) const {
  const torch::NoGradGuard guard;
  std::vector<Opinion> opinions;
  for (int64_t first = 0; first < pixels.size(0); first += at_once()) {
    opinions.push_back(look(pixels.narrow(0, first, std::min(at_once(), pixels.size(0) - first))));
  }
  if (opinions.empty())
    throw Error(ErrorKind::usage, "there are no pictures to measure", "give at least one");
  const auto joined = [&](Tensor Opinion::*part) {
    std::vector<Tensor> parts;
    for (const Opinion& opinion : opinions) {
      if (!(opinion.*part).defined()) return Tensor();
      parts.push_back(opinion.*part);
    }
    return torch::cat(parts);
  };
  return {.features = joined(&Opinion::features),
          .spatial = joined(&Opinion::spatial),
          .probabilities = joined(&Opinion::probabilities),
          .labels = joined(&Opinion::labels)};
}

const std::vector<std::string>& FeatureNet::class_names() const {
  static const std::vector<std::string> none;
  return none;
}

int64_t FeatureNet::feature_count() const {
  Shape shape = picture_shape().value_or(Shape{1, 8, 8});
  shape.insert(shape.begin(), 1);
  return of(torch::zeros(shape)).features.size(1);
}

Moments moments_of(const FeatureNet& network, const Source& pictures) {
  constexpr int64_t kTogether = 256;  // a matrix is added to for each of them
  Moments moments;
  for_each_batch(pictures, kTogether, [&](const Batch& batch) {
    moments.add(network.of(to_tensor(batch.view(), batch.bytes)).features);
    return true;
  });
  return moments;
}

}  // namespace eqm
