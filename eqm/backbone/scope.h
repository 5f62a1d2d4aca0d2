// A module that only gives its children a name, as "mlp" in "blocks.0.mlp.fc1.weight".
#pragma once

#include <memory>
#include <string>

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

namespace eqm {

struct Scope : torch::nn::Module {
  torch::nn::Linear linear(const std::string& name, int64_t in, int64_t out) {
    return register_module(name, torch::nn::Linear(in, out));
  }
  std::shared_ptr<Scope> scope(const std::string& name) {
    return register_module(name, std::make_shared<Scope>());
  }
};

}  // namespace eqm
