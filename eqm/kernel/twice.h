// Second derivatives by the reference implementation: where a gradient must be differentiated
// again, a fused operator lets LibTorch differentiate the reference.
#pragma once

#include <functional>

#include <torch/autograd.h>

#include "eqm/tensor/torch.h"

namespace eqm::kernel {

// The gradients of reference(inputs) along `grad` as a graph of their own; undefined for inputs
// that need none. They are partial ones: where one input was computed from another, that way is
// left to the graph outside, and therefore aliases of the inputs are differentiated by.
inline torch::autograd::variable_list differentiable_gradients(
    const std::function<Tensor(const torch::autograd::variable_list&)>& reference,
    const torch::autograd::variable_list& inputs, const Tensor& grad) {
  const torch::AutoGradMode enabled(true);
  torch::autograd::variable_list aliases, wanted, result(inputs.size());
  for (const Tensor& input : inputs) {
    aliases.push_back(input.requires_grad() ? input.view_as(input) : input);
    if (input.requires_grad()) wanted.push_back(aliases.back());
  }
  const auto found =
      torch::autograd::grad({reference(aliases)}, wanted, {grad}, /*retain_graph=*/true,
                            /*create_graph=*/true, /*allow_unused=*/true);
  for (size_t i = 0, next = 0; i < inputs.size(); ++i) {
    if (inputs[i].requires_grad()) result[i] = found[next++];
  }
  return result;
}

}  // namespace eqm::kernel
