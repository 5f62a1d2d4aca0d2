// A small autoencoder with random weights, as a file.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>

#include "eqm/backbone/initialise.h"
#include "eqm/codec/vae_config.h"
#include "eqm/tensor/named_tensors.h"

namespace eqm::test {

struct SmallVae {
  uint64_t seed = 1;
  std::string groups = "4";
  std::string leave_out = {};     // a weight that is missing
  std::string extra = {};         // one too many
  std::string not_a_number = {};  // one that is spoilt
};

// Three levels: a latent covers 4x4 pixels.
inline void write_small_vae(const std::filesystem::path& path, const SmallVae& made = {}) {
  VaeConfig config;
  config.channels = {8, 8, 16};
  config.layers = 1;
  Initialiser fill(made.seed);
  NamedTensors tensors;
  for (const auto& [name, shape] : vae_shapes(config)) {
    if (name == made.leave_out) continue;
    Tensor weight = torch::zeros(shape);
    if (name.ends_with(".weight")) {
      const auto inputs = static_cast<double>(weight.numel() / weight.size(0));
      if (shape.size() > 1)
        fill.normal(weight, 1 / std::sqrt(inputs));
      else
        weight.fill_(1);
    }
    if (name == made.not_a_number) weight.fill_(std::nan(""));
    tensors.emplace_back(name, weight);
  }
  if (!made.extra.empty()) tensors.emplace_back(made.extra, torch::zeros({1}));
  save_tensors(path, tensors, {{"norm_num_groups", made.groups}});
}

}  // namespace eqm::test
