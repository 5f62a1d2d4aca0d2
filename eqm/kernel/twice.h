// Second derivatives by the plain twin: where a gradient must be differentiated again, a fused
// operator lets LibTorch differentiate its twin.
#pragma once

#include <functional>

#include <torch/autograd.h>

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

// The gradients of twin(inputs) along `grad` as a graph of their own; undefined for inputs that
// need none.
inline torch::autograd::variable_list differentiable_gradients(
    const std::function<Tensor(const torch::autograd::variable_list&)>& twin,
    const torch::autograd::variable_list& inputs, const Tensor& grad) {
  const torch::AutoGradMode enabled(true);
  torch::autograd::variable_list wanted, result(inputs.size());
  for (const Tensor& input : inputs) {
    if (input.requires_grad()) wanted.push_back(input);
  }
  const auto found = torch::autograd::grad({twin(inputs)}, wanted, {grad}, /*retain_graph=*/true,
                                           /*create_graph=*/true, /*allow_unused=*/true);
  for (size_t i = 0, next = 0; i < inputs.size(); ++i) {
    if (inputs[i].requires_grad()) result[i] = found[next++];
  }
  return result;
}

}  // namespace eqm::kernel
