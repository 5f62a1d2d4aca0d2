#include "eqm/backbone/weights.h"

#include <cmath>

#include "eqm/kernel/update.h"

namespace eqm {

namespace {

// A piece at a time: the weight of a large model is not held twice.
bool all_finite(const Tensor& weight) {
  constexpr int64_t kPiece = 1 << 18;
  for (const Tensor& piece : weight.flatten().split(kPiece)) {
    if (!piece.isfinite().all().item<bool>()) return false;
  }
  return true;
}

}  // namespace

NamedTensors weights_of(const Backbone& backbone) {
  NamedTensors weights;
  for (const auto& entry : backbone.named_parameters()) {
    weights.emplace_back(entry.key(), entry.value());
  }
  return weights;
}

NamedTensors trainable_weights_of(const Backbone& backbone) {
  NamedTensors trainable;
  for (const auto& [name, weight] : weights_of(backbone)) {
    if (weight.requires_grad()) trainable.emplace_back(name, weight);
  }
  return trainable;
}

std::string unsound_weight_of(const Backbone& backbone) {
  const torch::NoGradGuard guard;
  for (const auto& [name, weight] : weights_of(backbone)) {
    // The sum takes no memory, but may be infinite where the numbers are not.
    if (!std::isfinite(kernel::square_sum({weight})) && !all_finite(weight)) return name;
  }
  return {};
}

uint64_t fingerprint_of(const Backbone& backbone) {
  return fingerprint_of(weights_of(backbone));
}

void copy_weights(const Backbone& from, Backbone& to) {
  const torch::NoGradGuard guard;
  const std::vector<Tensor> source = from.parameters(), target = to.parameters();
  for (size_t i = 0; i < source.size(); ++i) target[i].copy_(source[i]);
}

std::shared_ptr<Backbone> copy_of(const Backbone& backbone) {
  const std::shared_ptr<Backbone> copy = make_backbone(backbone.architecture());
  const torch::TensorOptions type = options_of(backbone);
  copy->to(type.device(), torch::typeMetaToScalarType(type.dtype()));
  copy_weights(backbone, *copy);
  return copy;
}

}  // namespace eqm
