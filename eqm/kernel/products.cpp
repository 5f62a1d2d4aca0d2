#include "eqm/kernel/products.h"

#include <algorithm>

#include <torch/autograd.h>

#include "eqm/kernel/choice.h"
#include "eqm/kernel/simd/scratch.h"
#include "eqm/kernel/sizes.h"
#include "eqm/kernel/transposed_product.h"
#include "eqm/tensor/parallel.h"

namespace eqm::kernel {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Calls work(part) for parts of a [rows, columns] product whose panels are ready: blocks of rows
// whose left factor stays in the second cache. Where those are few they are divided by columns,
// too, so that threads which are done early find work.
template <class Work>
void share_blocks(int64_t rows, int64_t columns, size_t depth, const Work& work) {
  constexpr int64_t kPartsPerThread = 4, kLeastPanels = 4;
  const int64_t threads = at::get_num_threads(),
                wished = threads == 1 ? 1 : kPartsPerThread * threads;
  const int64_t strips = ceiling(rows, as_count(simd::strip_height()));
  const int64_t panel = as_count(simd::panel_width()), panels = ceiling(columns, panel);
  const int64_t fitting = ceiling(rows, as_count(simd::block_height(depth)));
  const int64_t blocks =
      std::clamp<int64_t>(ceiling(fitting, threads) * threads, 1, std::max<int64_t>(strips, 1));
  const int64_t cuts =
      std::clamp<int64_t>(ceiling(wished, blocks), 1, std::max<int64_t>(panels / kLeastPanels, 1));
  parallel_tasks(blocks * cuts, [&](int64_t task) {
    const int64_t r = task / cuts, c = task % cuts;
    work({.row_begin = as_size(rows * r / blocks),
          .row_end = as_size(rows * (r + 1) / blocks),
          .column_begin = as_size(panels * c / cuts * panel),
          .column_end = as_size(std::min(panels * (c + 1) / cuts * panel, columns))});
  });
}

// The product of `rows` with packed panels [rows.size(1), columns], on all threads.
void run_with_panels(const Tensor& rows, const float* panels, int64_t columns,
                     const simd::Finish& finish) {
  const float* data = rows.data_ptr<float>();
  const size_t count = as_size(rows.size(0)), depth = as_size(rows.size(1)),
               stride = as_size(rows.stride(0));
  share_blocks(rows.size(0), columns, depth, [&](const simd::Part& part) {
    // The next task has the next rows, or the same ones and other columns.
    const bool done = part.column_end == as_size(columns);
    const size_t next = done ? std::min(part.row_end - part.row_begin, count - part.row_end) : 0;
    simd::multiply({.data = data, .stride = stride}, panels, depth, part, finish,
                   {.left = {data, part.row_end * stride, stride, next, depth}, .right = {}});
  });
}

// Panels of large weights are not kept: a large model would be in memory twice. Packing them for
// every product, some columns of it at a time, costs as much as some thirty rows do.
bool keeps_panels(const Tensor& weight, const PackedWeight* packed) {
  constexpr int64_t kLarge = 2'000'000;
  return packed && weight.numel() < kLarge;
}

// Whether two matrices have the same size in the dimensions over which their product sums. What
// does not fit is left to LibTorch to refuse.
bool depths_match(const Tensor& a, int64_t a_dimension, const Tensor& b, int64_t b_dimension) {
  return a.dim() == 2 && b.dim() == 2 && a.size(a_dimension) == b.size(b_dimension);
}

// For the columns from `first` on of the same product.
simd::Finish from_column(simd::Finish finish, size_t first) {
  for (const float** matrix : {&finish.bias, &finish.factor, &finish.residual, &finish.gate}) {
    if (*matrix) *matrix += first;
  }
  finish.out += first;
  if (finish.kept) finish.kept += first;
  return finish;
}

simd::Finish into(const Tensor& out) {
  return {.out = out.data_ptr<float>(), .stride = as_size(out.size(1))};
}

struct ByTranspose : torch::autograd::Function<ByTranspose> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& w,
                        const c10::optional<Tensor>& bias, PackedWeight* packed) {
    context->save_for_backward({x, w});
    context->saved_data["bias"] = bias.has_value();
    return product_by_transpose(x, w, bias.value_or(Tensor()), packed);
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const bool bias = context->saved_data["bias"].toBool() && context->needs_input_grad(2);
    const LinearGradients found =
        linear_gradients(grads[0], saved[0], saved[1],
                         {context->needs_input_grad(0), context->needs_input_grad(1), bias});
    return {found.x, found.weight, found.bias, Tensor()};
  }
};

struct Product : torch::autograd::Function<Product> {
  static Tensor forward(AutogradContext* context, const Tensor& g, const Tensor& w) {
    context->save_for_backward({g, w});
    return product(g, w);
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &g = saved[0], &w = saved[1];
    return {
        context->needs_input_grad(0) ? product_by_transpose(grads[0], w, {}, nullptr) : Tensor(),
        context->needs_input_grad(1) ? transposed_product(g, grads[0]) : Tensor()};
  }
};

struct TransposedProduct : torch::autograd::Function<TransposedProduct> {
  static Tensor forward(AutogradContext* context, const Tensor& g, const Tensor& x) {
    context->save_for_backward({g, x});
    return transposed_product(g, x);
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &g = saved[0], &x = saved[1];
    return {
        context->needs_input_grad(0) ? product_by_transpose(x, grads[0], {}, nullptr) : Tensor(),
        context->needs_input_grad(1) ? product(g, grads[0]) : Tensor()};
  }
};

}  // namespace

Tensor as_matrix(const Tensor& x) {
  const Tensor matrix = x.dim() == 2 ? x : x.reshape({-1, x.size(-1)});
  return rows_are_contiguous(matrix) ? matrix : matrix.contiguous();
}

LinearGradients linear_gradients(const Tensor& g, const Tensor& x, const Tensor& w,
                                 const Wanted& wanted) {
  LinearGradients result;
  if (wanted.weight && wanted.bias && x.size(1) > 0 && fused_products({&g, &x, &w}) &&
      !needs_graph({&g, &x, &w})) {
    const Tensor rows = as_matrix(g);
    if (wanted.x) result.x = product(rows, w);
    result.bias = torch::zeros({g.size(1)}, g.options());
    result.weight = run_transposed_product(rows, as_matrix(x), result.bias.data_ptr<float>());
    return result;
  }
  if (wanted.x) result.x = product(g, w);
  if (wanted.weight) result.weight = transposed_product(g, x);
  if (wanted.bias) result.bias = g.sum(0);
  return result;
}

void run_product_by_transpose(const Tensor& x, const Tensor& w, PackedWeight* packed,
                              const simd::Finish& finish) {
  if (keeps_panels(w, packed)) {
    run_with_panels(x, packed->panels(w).get(), w.size(0), finish);
    return;
  }
  constexpr int64_t kAtOnce = 1'000'000;  // numbers
  thread_local simd::Scratch scratch;
  const int64_t panel = as_count(simd::panel_width());
  // An image's columns are not next to each other; there are few of them.
  const int64_t columns = finish.kind == simd::Finish::Kind::image
                              ? w.size(0)
                              : ceiling(kAtOnce, std::max<int64_t>(w.size(1), 1) * panel) * panel;
  for (int64_t first = 0; first < w.size(0); first += columns) {
    const Tensor some = w.narrow(0, first, std::min(columns, w.size(0) - first));
    float* panels = scratch.take(simd::packed_size(as_size(some.size(0)), as_size(w.size(1))));
    pack_weight(some, panels);
    run_with_panels(x, panels, some.size(0), from_column(finish, as_size(first)));
  }
}

void run_product(const Tensor& g, const Tensor& w, const simd::Finish& finish) {
  thread_local simd::Scratch scratch;
  const size_t depth = as_size(w.size(0)), columns = as_size(w.size(1));
  float* panels = scratch.take(simd::packed_size(columns, depth));
  const size_t width = simd::panel_width();
  at::parallel_for(0, ceiling(w.size(1), as_count(width)), 1, [&](int64_t begin, int64_t end) {
    const size_t first = as_size(begin) * width, last = std::min(as_size(end) * width, columns);
    simd::pack(w.data_ptr<float>() + first, as_size(w.stride(0)), depth, last - first,
               panels + first * depth);
  });
  run_with_panels(g, panels, w.size(1), finish);
}

Tensor product_by_transpose(const Tensor& x, const Tensor& w, const Tensor& bias,
                            PackedWeight* packed) {
  const bool fits =
      depths_match(x, 1, w, 1) && (!bias.defined() || bias.sizes() == Shape{w.size(0)});
  if (!fits || !fused_products({&x, &w, &bias})) {
    const Tensor y = torch::mm(x, w.t());
    return bias.defined() ? y + bias : y;
  }
  if (needs_graph({&x, &w, &bias})) {
    // LibTorch has no undefined inputs of a function.
    const auto offset = bias.defined() ? c10::optional<Tensor>(bias) : c10::nullopt;
    return ByTranspose::apply(x, w, offset, packed);
  }
  const Tensor rows = as_matrix(x), weight = as_matrix(w);
  const Tensor offset = bias.defined() ? bias.contiguous() : bias;
  Tensor out = torch::empty({x.size(0), w.size(0)}, x.options());
  simd::Finish finish = into(out);
  if (offset.defined()) finish.bias = offset.data_ptr<float>();
  run_product_by_transpose(rows, weight, packed, finish);
  return out;
}

Tensor product(const Tensor& g, const Tensor& w) {
  if (!depths_match(g, 1, w, 0) || !fused_products({&g, &w})) return torch::mm(g, w);
  if (needs_graph({&g, &w})) return Product::apply(g, w);
  Tensor out = torch::empty({g.size(0), w.size(1)}, g.options());
  run_product(as_matrix(g), as_matrix(w), into(out));
  return out;
}

Tensor transposed_product(const Tensor& g, const Tensor& x) {
  if (!depths_match(g, 0, x, 0) || !fused_products({&g, &x})) return torch::mm(g.t(), x);
  if (needs_graph({&g, &x})) return TransposedProduct::apply(g, x);
  return run_transposed_product(as_matrix(g), as_matrix(x), nullptr);
}

}  // namespace eqm::kernel
