// Layers as a network holds them: parameters under the names that PyTorch gives them, and const
// forward passes that several threads may run at once. Building a layer draws nothing: until it is
// initialised or loaded its parameters hold whatever their memory did.
#pragma once

#include <memory>
#include <string>

#include <torch/nn/module.h>

#include "eqm/kernel/linear_map.h"
#include "eqm/tensor/torch.h"

namespace eqm {

enum class Bias { none, one_per_output };

// A weight [outputs, ...] and its bias [outputs].
class Layer : public torch::nn::Module {
 public:
  explicit Layer(const Shape& shape, Bias with = Bias::one_per_output);

  // As a linear map of the flattened inputs. Weights that serve at every evaluation are kept in the
  // order of the fused products, which takes memory.
  kernel::LinearMap map() const { return {weight, bias}; }
  kernel::LinearMap packed_map() const { return {weight, bias, &packed_}; }

  Tensor weight;
  Tensor bias;  // undefined without one

 private:
  mutable kernel::PackedWeight packed_;  // guards itself
};

using LayerPtr = std::shared_ptr<Layer>;

// A module that only gives its children a name, as "mlp" in "blocks.0.mlp.fc1.weight".
class Scope : public torch::nn::Module {
 public:
  std::shared_ptr<Scope> scope(const std::string& name) {
    return register_module(name, std::make_shared<Scope>());
  }
  LayerPtr layer(const std::string& name, const Shape& weight, Bias bias = Bias::one_per_output) {
    return register_module(name, std::make_shared<Layer>(weight, bias));
  }
};

// Adds a layer under a name with dots, with the scopes that are not there yet.
LayerPtr add_layer(torch::nn::Module& root, const std::string& name, const Shape& weight,
                   Bias bias = Bias::one_per_output);

// A square convolution, weight [C', C, k, k], that keeps the size at stride 1.
Tensor convolve(const Layer& layer, const Tensor& image, int64_t stride = 1);

// Rows of a table [n, D]; the row `padding` gets no gradient.
Tensor look_up(const Layer& table, const Tensor& index, int64_t padding = -1);

inline constexpr double kGroupNormEps = 1e-5;
Tensor group_norm(const Layer& layer, const Tensor& image, int64_t groups);

}  // namespace eqm
