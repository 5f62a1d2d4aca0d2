#include "eqm/kernel/norm.h"

#include <torch/autograd.h>

#include "eqm/kernel/dispatch.h"
#include "eqm/kernel/image_rows.h"
#include "eqm/kernel/plain.h"
#include "eqm/kernel/twice.h"

namespace eqm::kernel {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

Tensor run(const Tensor& h, const Tensor& shift, const Tensor& scale, float* mean, float* rstd) {
  Tensor out = torch::empty_like(h);
  for_rows(h, [&](const simd::Rows& rows) {
    simd::norm_modulate(rows, h.data_ptr<float>(), per_image(shift), per_image(scale),
                        static_cast<float>(kLayerNormEps), out.data_ptr<float>(), mean, rstd);
  });
  return out;
}

struct BranchOff : torch::autograd::Function<BranchOff> {
  static variable_list forward(AutogradContext* context, const Tensor& h, const Tensor& shift,
                               const Tensor& scale) {
    context->set_materialize_grads(false);
    const Tensor mean = torch::empty({h.size(0), h.size(1)}, h.options());
    const Tensor rstd = torch::empty_like(mean);
    context->save_for_backward({h, shift, scale, mean, rstd});
    return {run(h, shift, scale, mean.data_ptr<float>(), rstd.data_ptr<float>()), h};
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &h = saved[0], &scale = saved[2], &mean = saved[3], &rstd = saved[4];
    if (!grads[0].defined()) return {grads[1], Tensor(), Tensor()};
    if (torch::GradMode::is_enabled()) {
      variable_list found = differentiable_gradients(
          [](const variable_list& in) { return plain::layer_norm_modulate(in[0], in[1], in[2]); },
          {h, saved[1], scale}, grads[0]);
      if (grads[1].defined() && found[0].defined()) found[0] = found[0] + grads[1];
      return found;
    }
    const Tensor g = grads[0].contiguous();
    const Tensor past = grads[1].defined() ? grads[1].contiguous() : Tensor();
    const int64_t parts = parts_per_image(h);
    Tensor grad_h = torch::empty_like(h);
    const Tensor shift_sums = torch::empty({h.size(0) * parts, h.size(2)}, h.options());
    const Tensor scale_sums = torch::empty_like(shift_sums);
    for_parts_of_images(h, parts, [&](const simd::Rows& rows, size_t part) {
      simd::norm_modulate_backward(
          rows, g.data_ptr<float>(), h.data_ptr<float>(), per_image(scale), mean.data_ptr<float>(),
          rstd.data_ptr<float>(), past.defined() ? past.data_ptr<float>() : nullptr,
          grad_h.data_ptr<float>(), shift_sums.data_ptr<float>() + part * rows.width,
          scale_sums.data_ptr<float>() + part * rows.width);
    });
    return {grad_h, join_parts(shift_sums, parts), join_parts(scale_sums, parts)};
  }
};

}  // namespace

Branch fused_branch_off(const Tensor& h, const Tensor& shift, const Tensor& scale) {
  if (!needs_graph({&h, &shift, &scale})) return {run(h, shift, scale, nullptr, nullptr), h};
  const variable_list both = BranchOff::apply(h, shift, scale);
  return {both[0], both[1]};
}

}  // namespace eqm::kernel
