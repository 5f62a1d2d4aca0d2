// Small float64 networks with nothing left at zero, for derivatives and properties.
#pragma once

#include <memory>

#include "eqm/backbone/mlp.h"
#include "eqm/backbone/sit.h"
#include "eqm/landscape/model.h"
#include "eqm/tensor/noise_tensor.h"
#include "tests/support/normal.h"

namespace eqm::test {

// A network with the weights that training would begin with.
template <class Network, class Config>
std::shared_ptr<Network> initialised(const Config& config, uint64_t seed = 0) {
  auto network = std::make_shared<Network>(config);
  network->initialise(seed);
  return network;
}

// Every trainable parameter becomes normal noise, adaLN projections and the final layer included.
inline void shake(Backbone& backbone, double deviation, uint64_t seed = 77) {
  const torch::NoGradGuard guard;
  backbone.initialise(0);  // those that are not trainable
  for (const Tensor& parameter : backbone.parameters()) {
    if (!parameter.requires_grad()) continue;
    parameter.copy_(normal_rows({.seed = seed++}, 1, parameter.sizes().vec(), torch::kFloat64)[0] *
                    deviation);
  }
}

inline std::shared_ptr<Mlp> small_mlp(
    const MlpConfig& config = {
        .dimension = 3, .width = 5, .depth = 2, .fourier = 2, .num_classes = 3}) {
  auto mlp = std::make_shared<Mlp>(config);
  mlp->to(torch::kFloat64);
  shake(*mlp, 0.5);
  return mlp;
}

inline SitConfig small_sit_config() {
  return {.input_size = 4,
          .patch_size = 2,
          .in_channels = 2,
          .hidden_size = 8,
          .depth = 2,
          .num_heads = 2,
          .mlp_ratio = 2,
          .num_classes = 3};
}

inline std::shared_ptr<Sit> small_sit(const SitConfig& config = small_sit_config()) {
  auto sit = std::make_shared<Sit>(config);
  sit->to(torch::kFloat64);
  shake(*sit, 0.3);
  return sit;
}

inline Model model_of(std::shared_ptr<Backbone> backbone, ObjectiveKind kind,
                      double output_sign = 1) {
  return {.backbone = std::move(backbone),
          .objective = {.kind = kind, .magnitude = {}, .dispersive_weight = 0},
          .scaling = {},
          .output_sign = output_sign,
          .class_names = {}};
}

}  // namespace eqm::test
