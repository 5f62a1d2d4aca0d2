#include "eqm/kernel/attention.h"

#include <cmath>

#include <torch/autograd.h>

#include "eqm/kernel/dispatch.h"
#include "eqm/kernel/plain.h"
#include "eqm/kernel/simd/attention.h"
#include "eqm/kernel/twice.h"
#include "eqm/tensor/parallel.h"

namespace eqm::kernel {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Sizes {
  int64_t batch, tokens, heads, width;  // width of one head

  Sizes(const Tensor& qkv, int64_t heads_)
      : batch(qkv.size(0)), tokens(qkv.size(1)), heads(heads_), width(qkv.size(2) / 3 / heads_) {}

  // Where head n of image b begins in a [B, T, columns] tensor.
  int64_t offset(int64_t b, int64_t n, int64_t columns) const {
    return b * tokens * columns + n * width;
  }
};

simd::Head head_of(const Tensor& qkv, const Sizes& sizes, int64_t b, int64_t n) {
  const int64_t all = sizes.heads * sizes.width;
  const float* q = qkv.data_ptr<float>() + sizes.offset(b, n, 3 * all);
  return {.q = q,
          .k = q + all,
          .v = q + 2 * all,
          .stride = static_cast<size_t>(3 * all),
          .tokens = static_cast<size_t>(sizes.tokens),
          .width = static_cast<size_t>(sizes.width),
          .scale = 1.0f / std::sqrt(static_cast<float>(sizes.width))};
}

// Of every row of scores, [B, heads, T, 2].
simd::RowSum* sums_in(const Tensor& sums) {
  static_assert(sizeof(simd::RowSum) == 2 * sizeof(float));
  return reinterpret_cast<simd::RowSum*>(sums.data_ptr<float>());
}

Tensor run(const Tensor& qkv, int64_t heads, simd::RowSum* sums) {
  const Sizes sizes(qkv, heads);
  const int64_t all = heads * sizes.width, tasks = sizes.batch * heads;
  Tensor out = torch::empty({sizes.batch, sizes.tokens, all}, qkv.options());
  // Fewer heads than threads: the rows of each are divided.
  const int64_t parts = std::clamp<int64_t>(at::get_num_threads() / std::max<int64_t>(tasks, 1), 1,
                                            std::max<int64_t>(sizes.tokens, 1));
  parallel_tasks(tasks * parts, [&](int64_t i) {
    const int64_t b = i / parts / heads, n = i / parts % heads, part = i % parts;
    simd::attend(head_of(qkv, sizes, b, n), static_cast<size_t>(sizes.tokens * part / parts),
                 static_cast<size_t>(sizes.tokens * (part + 1) / parts),
                 out.data_ptr<float>() + sizes.offset(b, n, all), static_cast<size_t>(all),
                 sums ? sums + (b * heads + n) * sizes.tokens : nullptr);
  });
  return out;
}

Tensor run_backward(const Tensor& qkv, int64_t heads, const Tensor& sums, const Tensor& grad) {
  const Sizes sizes(qkv, heads);
  const int64_t all = heads * sizes.width;
  Tensor result = torch::empty_like(qkv);
  parallel_tasks(sizes.batch * heads, [&](int64_t i) {
    const int64_t b = i / heads, n = i % heads;
    float* grad_q = result.data_ptr<float>() + sizes.offset(b, n, 3 * all);
    simd::attend_backward(head_of(qkv, sizes, b, n),
                          {.grad = grad.data_ptr<float>() + sizes.offset(b, n, all),
                           .stride = static_cast<size_t>(all),
                           .sums = sums_in(sums) + i * sizes.tokens},
                          grad_q, grad_q + all, grad_q + 2 * all);
  });
  return result;
}

struct Attention : torch::autograd::Function<Attention> {
  static Tensor forward(AutogradContext* context, const Tensor& qkv, int64_t heads) {
    const Tensor sums = torch::empty({qkv.size(0), heads, qkv.size(1), 2}, qkv.options());
    context->saved_data["heads"] = heads;
    context->save_for_backward({qkv, sums});
    return run(qkv, heads, sums_in(sums));
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const int64_t heads = context->saved_data["heads"].toInt();
    if (torch::GradMode::is_enabled()) {
      return {differentiable_gradients(
                  [&](const variable_list& in) { return plain::attention(in[0], heads); },
                  {saved[0]}, grads[0])[0],
              Tensor()};
    }
    return {run_backward(saved[0], heads, saved[1], grads[0].contiguous()), Tensor()};
  }
};

}  // namespace

Tensor fused_attention(const Tensor& qkv, int64_t heads) {
  if (needs_graph({&qkv})) return Attention::apply(qkv, heads);
  return run(qkv, heads, nullptr);
}

}  // namespace eqm::kernel
