#include "eqm/backbone/layers.h"

namespace eqm {

Layer::Layer(const Shape& shape, Bias with) {
  weight = register_parameter("weight", torch::empty(shape));
  if (with == Bias::one_per_output) bias = register_parameter("bias", torch::empty({shape.at(0)}));
}

LayerPtr add_layer(torch::nn::Module& root, const std::string& name, const Shape& weight,
                   Bias bias) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) {
    return root.register_module(name, std::make_shared<Layer>(weight, bias));
  }
  const std::string first = name.substr(0, dot);
  const auto children = root.named_children();
  const auto* known = children.find(first);
  const std::shared_ptr<torch::nn::Module> child =
      known ? *known : root.register_module(first, std::make_shared<Scope>());
  return add_layer(*child, name.substr(dot + 1), weight, bias);
}

Tensor convolve(const Layer& layer, const Tensor& image, int64_t stride) {
  return torch::conv2d(image, layer.weight, layer.bias, stride, layer.weight.size(2) / 2);
}

Tensor look_up(const Layer& table, const Tensor& index, int64_t padding) {
  return torch::embedding(table.weight, index, padding);
}

Tensor group_norm(const Layer& layer, const Tensor& image, int64_t groups) {
  return torch::group_norm(image, groups, layer.weight, layer.bias, kGroupNormEps);
}

}  // namespace eqm
