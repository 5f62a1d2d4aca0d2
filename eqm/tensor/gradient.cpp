#include "eqm/tensor/gradient.h"

#include <torch/autograd.h>

namespace eqm {

ValueAndGradient value_and_gradient(const std::function<Tensor(const Tensor&)>& function,
                                    const Tensor& x, Graph graph) {
  const torch::AutoGradMode enabled(true);
  const bool keep = graph == Graph::keep;
  const Tensor point = x.detach().requires_grad_(true);
  const Tensor value = function(point);
  // Samples do not interact, so the gradient of the sum holds each sample's own gradient.
  const Tensor gradient = torch::autograd::grad({value.sum()}, {point}, {}, keep, keep)[0];
  if (keep) return {value, gradient};
  return {value.detach(), gradient.detach()};
}

}  // namespace eqm
