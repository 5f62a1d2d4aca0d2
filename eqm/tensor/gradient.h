// The one place where autograd is opened for derivatives with respect to the state.
#pragma once

#include <functional>

#include "eqm/tensor/torch.h"

namespace eqm {

struct ValueAndGradient {
  Tensor value;     // [B]
  Tensor gradient;  // like x
};

// Whether the result must be differentiable again (training an energy needs it, sampling does not).
enum class Graph { discard, keep };

// The value and the gradient with respect to x of a per-sample scalar function: [B, ...] -> [B].
// Works under NoGradGuard too: it enables gradients for itself.
ValueAndGradient value_and_gradient(const std::function<Tensor(const Tensor&)>& function,
                                    const Tensor& x, Graph graph);

}  // namespace eqm
