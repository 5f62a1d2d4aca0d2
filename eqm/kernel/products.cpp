#include "eqm/kernel/products.h"

#include <algorithm>

#include <torch/autograd.h>

#include "eqm/kernel/dispatch.h"
#include "eqm/kernel/gemm_tn.h"
#include "eqm/kernel/simd/scratch.h"
#include "eqm/kernel/sizes.h"
#include "eqm/tensor/parallel.h"

namespace eqm::kernel {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Calls work(part) for parts of a [rows, columns] product whose right factor is packed: blocks of
// rows whose left factor stays in the second cache. Where those are few they are divided by
// columns, too, so that threads which are done early find work.
template <class Work>
void share_blocks(int64_t rows, int64_t columns, size_t depth, const Work& work) {
  constexpr int64_t kPartsPerThread = 4, kLeastColumnTiles = 4;
  const int64_t threads = at::get_num_threads(),
                wished = threads == 1 ? 1 : kPartsPerThread * threads;
  const int64_t row_tiles = ceiling(rows, as_count(simd::tile_rows()));
  const int64_t tile_columns = as_count(simd::tile_columns()),
                column_tiles = ceiling(columns, tile_columns);
  const int64_t fitting = ceiling(rows, as_count(simd::block_height(depth)));
  const int64_t blocks =
      std::clamp<int64_t>(ceiling(fitting, threads) * threads, 1, std::max<int64_t>(row_tiles, 1));
  const int64_t cuts = std::clamp<int64_t>(ceiling(wished, blocks), 1,
                                           std::max<int64_t>(column_tiles / kLeastColumnTiles, 1));
  parallel_tasks(blocks * cuts, [&](int64_t task) {
    const int64_t r = task / cuts, c = task % cuts;
    work({.row_begin = as_size(rows * r / blocks),
          .row_end = as_size(rows * (r + 1) / blocks),
          .column_begin = as_size(column_tiles * c / cuts * tile_columns),
          .column_end = as_size(std::min(column_tiles * (c + 1) / cuts * tile_columns, columns))});
  });
}

// The product of `rows` with a packed right factor [rows.size(1), columns], on all threads.
void gemm_packed(const Tensor& rows, const float* packed_b, int64_t columns,
                 const simd::Epilogue& epilogue) {
  const float* data = rows.data_ptr<float>();
  const size_t count = as_size(rows.size(0)), depth = as_size(rows.size(1)),
               stride = as_size(rows.stride(0));
  share_blocks(rows.size(0), columns, depth, [&](const simd::Part& part) {
    // The next task has the next rows, or the same ones and other columns.
    const bool done = part.column_end == as_size(columns);
    const size_t next = done ? std::min(part.row_end - part.row_begin, count - part.row_end) : 0;
    simd::multiply({.data = data, .stride = stride}, packed_b, depth, part, epilogue,
                   {.left = {data, part.row_end * stride, stride, next, depth}, .right = {}});
  });
}

// Packed copies of large weights are not kept: a large model would be in memory twice. Packing them
// for every product, some columns of it at a time, costs as much as some thirty rows do.
bool keeps_packed(const Tensor& weight, const PackedWeight* packed) {
  constexpr int64_t kLarge = 2'000'000;
  return packed && weight.numel() < kLarge;
}

// Whether two matrices have the same size in the dimensions over which their product sums. What
// does not fit is left to LibTorch to refuse.
bool depths_match(const Tensor& a, int64_t a_dimension, const Tensor& b, int64_t b_dimension) {
  return a.dim() == 2 && b.dim() == 2 && a.size(a_dimension) == b.size(b_dimension);
}

// For the columns from `first` on of the same product.
simd::Epilogue from_column(simd::Epilogue epilogue, size_t first) {
  for (const float** matrix :
       {&epilogue.bias, &epilogue.factor, &epilogue.residual, &epilogue.gate}) {
    if (*matrix) *matrix += first;
  }
  epilogue.out += first;
  if (epilogue.kept) epilogue.kept += first;
  return epilogue;
}

simd::Epilogue into(const Tensor& out) {
  return {.out = out.data_ptr<float>(), .stride = as_size(out.size(1))};
}

struct GemmNt : torch::autograd::Function<GemmNt> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& w,
                        const c10::optional<Tensor>& bias, PackedWeight* packed) {
    context->save_for_backward({x, w});
    context->saved_data["bias"] = bias.has_value();
    return gemm_nt(x, w, bias.value_or(Tensor()), packed);
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

struct GemmNn : torch::autograd::Function<GemmNn> {
  static Tensor forward(AutogradContext* context, const Tensor& g, const Tensor& w) {
    context->save_for_backward({g, w});
    return gemm_nn(g, w);
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &g = saved[0], &w = saved[1];
    return {context->needs_input_grad(0) ? gemm_nt(grads[0], w, {}, nullptr) : Tensor(),
            context->needs_input_grad(1) ? gemm_tn(g, grads[0]) : Tensor()};
  }
};

struct GemmTn : torch::autograd::Function<GemmTn> {
  static Tensor forward(AutogradContext* context, const Tensor& g, const Tensor& x) {
    context->save_for_backward({g, x});
    return gemm_tn(g, x);
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &g = saved[0], &x = saved[1];
    return {context->needs_input_grad(0) ? gemm_nt(x, grads[0], {}, nullptr) : Tensor(),
            context->needs_input_grad(1) ? gemm_nn(g, grads[0]) : Tensor()};
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
    if (wanted.x) result.x = gemm_nn(rows, w);
    result.bias = torch::zeros({g.size(1)}, g.options());
    result.weight = run_gemm_tn(rows, as_matrix(x), result.bias.data_ptr<float>());
    return result;
  }
  if (wanted.x) result.x = gemm_nn(g, w);
  if (wanted.weight) result.weight = gemm_tn(g, x);
  if (wanted.bias) result.bias = g.sum(0);
  return result;
}

void run_gemm_nt(const Tensor& x, const Tensor& w, PackedWeight* packed,
                 const simd::Epilogue& epilogue) {
  if (keeps_packed(w, packed)) {
    gemm_packed(x, packed->packed(w).get(), w.size(0), epilogue);
    return;
  }
  constexpr int64_t kAtOnce = 1'000'000;  // numbers
  thread_local simd::Scratch scratch;
  const int64_t tile_columns = as_count(simd::tile_columns());
  // An image's columns are not next to each other; there are few of them.
  const int64_t columns =
      epilogue.kind == simd::Epilogue::Kind::image
          ? w.size(0)
          : ceiling(kAtOnce, std::max<int64_t>(w.size(1), 1) * tile_columns) * tile_columns;
  for (int64_t first = 0; first < w.size(0); first += columns) {
    const Tensor some = w.narrow(0, first, std::min(columns, w.size(0) - first));
    float* packed_b = scratch.take(simd::packed_size(as_size(some.size(0)), as_size(w.size(1))));
    pack_weight(some, packed_b);
    gemm_packed(x, packed_b, some.size(0), from_column(epilogue, as_size(first)));
  }
}

void run_gemm_nn(const Tensor& g, const Tensor& w, const simd::Epilogue& epilogue) {
  thread_local simd::Scratch scratch;
  const size_t depth = as_size(w.size(0)), columns = as_size(w.size(1));
  float* packed_b = scratch.take(simd::packed_size(columns, depth));
  const size_t width = simd::tile_columns();
  at::parallel_for(0, ceiling(w.size(1), as_count(width)), 1, [&](int64_t begin, int64_t end) {
    const size_t first = as_size(begin) * width, last = std::min(as_size(end) * width, columns);
    simd::pack(w.data_ptr<float>() + first, as_size(w.stride(0)), depth, last - first,
               packed_b + first * depth);
  });
  gemm_packed(g, packed_b, w.size(1), epilogue);
}

Tensor gemm_nt(const Tensor& x, const Tensor& w, const Tensor& bias, PackedWeight* packed) {
  const bool fits =
      depths_match(x, 1, w, 1) && (!bias.defined() || bias.sizes() == Shape{w.size(0)});
  if (!fits || !fused_products({&x, &w, &bias})) {
    const Tensor y = torch::mm(x, w.t());
    return bias.defined() ? y + bias : y;
  }
  if (needs_graph({&x, &w, &bias})) {
    // LibTorch has no undefined inputs of a function.
    const auto offset = bias.defined() ? c10::optional<Tensor>(bias) : c10::nullopt;
    return GemmNt::apply(x, w, offset, packed);
  }
  const Tensor rows = as_matrix(x), weight = as_matrix(w);
  const Tensor offset = bias.defined() ? bias.contiguous() : bias;
  Tensor out = torch::empty({x.size(0), w.size(0)}, x.options());
  simd::Epilogue epilogue = into(out);
  if (offset.defined()) epilogue.bias = offset.data_ptr<float>();
  run_gemm_nt(rows, weight, packed, epilogue);
  return out;
}

Tensor gemm_nn(const Tensor& g, const Tensor& w) {
  if (!depths_match(g, 1, w, 0) || !fused_products({&g, &w})) return torch::mm(g, w);
  if (needs_graph({&g, &w})) return GemmNn::apply(g, w);
  Tensor out = torch::empty({g.size(0), w.size(1)}, g.options());
  run_gemm_nn(as_matrix(g), as_matrix(w), into(out));
  return out;
}

Tensor gemm_tn(const Tensor& g, const Tensor& x) {
  if (!depths_match(g, 0, x, 0) || !fused_products({&g, &x})) return torch::mm(g.t(), x);
  if (needs_graph({&g, &x})) return GemmTn::apply(g, x);
  return run_gemm_tn(as_matrix(g), as_matrix(x), nullptr);
}

}  // namespace eqm::kernel
