#include "eqm/kernel/products.h"

#include <torch/autograd.h>

#include "eqm/kernel/choice.h"
#include "eqm/kernel/simd/rows.h"
#include "eqm/tensor/parallel.h"

namespace eqm::kernel {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

size_t as_size(int64_t value) {
  return static_cast<size_t>(value);
}

// Divides [rows, columns] among the threads, by rows first: each then reads its rows of the left
// factor only.
void share_out(int64_t rows, int64_t columns, const std::function<void(const simd::Part&)>& work) {
  const int64_t threads = at::get_num_threads();
  const auto strip = static_cast<int64_t>(simd::strip_height()),
             panel = static_cast<int64_t>(simd::panel_width());
  const int64_t strips = (rows + strip - 1) / strip, panels = (columns + panel - 1) / panel;
  const int64_t row_parts = std::min(threads, strips);
  const int64_t column_parts =
      std::min((threads + row_parts - 1) / std::max<int64_t>(row_parts, 1), panels);
  at::parallel_for(0, row_parts * column_parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = i / column_parts, c = i % column_parts;
      work({.row_begin = as_size(rows * r / row_parts),
            .row_end = as_size(rows * (r + 1) / row_parts),
            .column_begin = as_size(panels * c / column_parts * panel),
            .column_end = as_size(std::min(panels * (c + 1) / column_parts * panel, columns))});
    }
  });
}

simd::Left left_of(const Tensor& matrix) {
  return {.data = matrix.data_ptr<float>(), .stride = as_size(matrix.stride(0))};
}

// Panels of large weights are not kept: a large model would be in memory twice. Packing them for
// every product costs as much as some thirty rows do.
bool keeps_panels(const Tensor& weight, const PackedWeight* packed) {
  constexpr int64_t kLarge = 2'000'000;
  return packed && weight.numel() < kLarge;
}

Tensor run_product(const Tensor& g, const Tensor& w) {
  thread_local simd::Scratch scratch;
  const size_t depth = as_size(w.size(0)), columns = as_size(w.size(1));
  Tensor out = torch::empty({g.size(0), w.size(1)}, g.options());
  float* panels = scratch.take(simd::packed_size(columns, depth));
  const size_t width = simd::panel_width();
  const auto count = static_cast<int64_t>((columns + width - 1) / width);
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    const size_t first = as_size(begin) * width, last = std::min(as_size(end) * width, columns);
    simd::pack(w.data_ptr<float>() + first, as_size(w.stride(0)), depth, last - first,
               panels + first * depth);
  });
  const simd::Right right = {.data = panels, .stride = 0, .packed = true};
  share_out(out.size(0), out.size(1), [&](const simd::Part& part) {
    simd::multiply(left_of(g), right, columns, depth, part,
                   {.out = out.data_ptr<float>(), .stride = columns});
  });
  return out;
}

Tensor run_transposed_product(const Tensor& g, const Tensor& x) {
  constexpr size_t kDepth = 256;  // rows of x at a time: they stay in the second cache
  Tensor out = torch::empty({g.size(1), x.size(1)}, g.options());
  const size_t depth = as_size(g.size(0)), stride = as_size(x.stride(0));
  if (depth == 0) return out.zero_();
  share_out(out.size(0), out.size(1), [&](const simd::Part& part) {
    thread_local simd::Scratch scratch;
    const size_t columns = part.column_end - part.column_begin;
    float* panels = scratch.take(simd::packed_size(columns, kDepth));
    for (size_t first = 0; first < depth; first += kDepth) {
      const size_t rows = std::min(kDepth, depth - first);
      simd::pack(x.data_ptr<float>() + first * stride + part.column_begin, stride, rows, columns,
                 panels);
      simd::multiply({.data = g.data_ptr<float>() + first * as_size(g.stride(0)),
                      .stride = as_size(g.stride(0)),
                      .transposed = true},
                     {.data = panels, .stride = 0, .packed = true}, columns, rows,
                     {part.row_begin, part.row_end, 0, columns},
                     {.kind = first == 0 ? simd::Finish::Kind::store : simd::Finish::Kind::add,
                      .out = out.data_ptr<float>() + part.column_begin,
                      .stride = as_size(x.size(1))});
    }
  });
  return out;
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
    const Tensor &x = saved[0], &w = saved[1], &g = grads[0];
    return {context->needs_input_grad(0) ? product(g, w) : Tensor(),
            context->needs_input_grad(1) ? transposed_product(g, x) : Tensor(),
            context->saved_data["bias"].toBool() && context->needs_input_grad(2) ? row_sum(g)
                                                                                 : Tensor(),
            Tensor()};
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
  const Tensor matrix = x.reshape({-1, x.size(-1)});
  return rows_are_contiguous(matrix) ? matrix : matrix.contiguous();
}

bool worth_packing(int64_t rows, const Tensor& weight, const PackedWeight* packed) {
  constexpr int64_t kFew = 32;  // a row costs about as much as a thirtieth of packing
  return keeps_panels(weight, packed) || rows >= kFew;
}

Tensor row_sum(const Tensor& g) {
  if (torch::GradMode::is_enabled() || !fused_products({&g}) || !rows_are_contiguous(g)) {
    return g.sum(0);
  }
  Tensor sums = torch::empty({g.size(1)}, g.options());
  constexpr int64_t kLeast = 64;  // columns that are worth a thread
  at::parallel_for(0, g.size(1), kLeast, [&](int64_t begin, int64_t end) {
    simd::column_sums(g.data_ptr<float>(), as_size(g.stride(0)), as_size(g.size(0)), as_size(begin),
                      as_size(end), sums.data_ptr<float>());
  });
  return sums;
}

void run_product_by_transpose(const Tensor& x, const Tensor& w, PackedWeight* packed,
                              const simd::Finish& finish) {
  thread_local simd::Scratch scratch;
  std::shared_ptr<const float> kept;
  const float* panels = nullptr;
  if (keeps_panels(w, packed)) {
    kept = packed->panels(w);
    panels = kept.get();
  } else {
    float* own = scratch.take(simd::packed_size(as_size(w.size(0)), as_size(w.size(1))));
    pack_weight(w, own);
    panels = own;
  }
  const simd::Right right = {.data = panels, .stride = 0, .packed = true};
  share_out(x.size(0), w.size(0), [&](const simd::Part& part) {
    simd::multiply(left_of(x), right, as_size(w.size(0)), as_size(w.size(1)), part, finish);
  });
}

Tensor product_by_transpose(const Tensor& x, const Tensor& w, const Tensor& bias,
                            PackedWeight* packed) {
  if (!fused_products({&x, &w, &bias})) {
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
  run_product_by_transpose(rows, weight, packed,
                           {.bias = offset.defined() ? offset.data_ptr<float>() : nullptr,
                            .out = out.data_ptr<float>(),
                            .stride = as_size(out.size(1))});
  return out;
}

Tensor product(const Tensor& g, const Tensor& w) {
  if (!fused_products({&g, &w})) return torch::mm(g, w);
  if (needs_graph({&g, &w})) return Product::apply(g, w);
  return run_product(as_matrix(g), as_matrix(w));
}

Tensor transposed_product(const Tensor& g, const Tensor& x) {
  if (!fused_products({&g, &x})) return torch::mm(g.t(), x);
  if (needs_graph({&g, &x})) return TransposedProduct::apply(g, x);
  return run_transposed_product(as_matrix(g), as_matrix(x));
}

}  // namespace eqm::kernel
