#include "eqm/kernel/gelu.h"

#include <torch/autograd.h>

#include "eqm/kernel/dispatch.h"
#include "eqm/kernel/simd/rows.h"
#include "eqm/tensor/parallel.h"

namespace eqm::kernel {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kLeast = 4096;  // numbers that are worth a thread

Tensor run(const Tensor& grad, const Tensor& u) {
  const Tensor g = grad.contiguous();
  Tensor out = torch::empty_like(u);
  at::parallel_for(0, u.numel(), kLeast, [&](int64_t begin, int64_t end) {
    simd::gelu_backward(g.data_ptr<float>() + begin, u.data_ptr<float>() + begin,
                        static_cast<size_t>(end - begin), out.data_ptr<float>() + begin);
  });
  return out;
}

struct GeluGradient : torch::autograd::Function<GeluGradient> {
  static Tensor forward(AutogradContext* context, const Tensor& grad, const Tensor& u) {
    context->save_for_backward({grad, u});
    return run(grad, u);
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor grad = saved[0].contiguous(), &u = saved[1], along = grads[0].contiguous();
    if (torch::GradMode::is_enabled()) {  // a third derivative
      const Tensor again = torch::gelu_backward(saved[0], u, "tanh");
      const auto found = torch::autograd::grad({again}, {saved[0], u}, {grads[0]}, true, true);
      return {found[0], found[1]};
    }
    Tensor by_grad = torch::empty_like(u), by_u = torch::empty_like(u);
    at::parallel_for(0, u.numel(), kLeast, [&](int64_t begin, int64_t end) {
      simd::gelu_backward_twice(along.data_ptr<float>() + begin, grad.data_ptr<float>() + begin,
                                u.data_ptr<float>() + begin, static_cast<size_t>(end - begin),
                                by_grad.data_ptr<float>() + begin, by_u.data_ptr<float>() + begin);
    });
    return {by_grad, by_u};
  }
};

}  // namespace

Tensor gelu_gradient(const Tensor& grad, const Tensor& u) {
  return needs_graph({&grad, &u}) ? GeluGradient::apply(grad, u) : run(grad, u);
}

}  // namespace eqm::kernel
