#include "eqm/kernel/products.h"

#include <algorithm>
#include <deque>
#include <limits>

#include <torch/autograd.h>

#include "eqm/kernel/choice.h"
#include "eqm/kernel/simd/scratch.h"
#include "eqm/tensor/parallel.h"

namespace eqm::kernel {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

size_t as_size(int64_t value) {
  return static_cast<size_t>(value);
}

int64_t as_count(size_t value) {
  return static_cast<int64_t>(value);
}

int64_t ceiling(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

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

// How threads divide a [rows, columns] product of a transposed left factor: into so many parts of
// the rows and of the columns. Each packs what it reads of both factors, so the division counts
// that.
struct Division {
  int64_t row_parts = 1, column_parts = 1;

  Division(int64_t strips, int64_t panels) {
    constexpr int64_t kPacking = 20;  // multiply-adds that take as long as copying a number
    const int64_t threads = at::get_num_threads();
    const int64_t strip = as_count(simd::strip_height()), panel = as_count(simd::panel_width());
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int64_t r = std::min(threads, strips); r >= 1; --r) {
      const int64_t c = std::min(threads / r, panels);
      const int64_t high = ceiling(strips, r) * strip, wide = ceiling(panels, c) * panel;
      const int64_t cost = high * wide + kPacking * (high + wide);
      if (cost >= least) continue;
      least = cost;
      row_parts = r;
      column_parts = c;
    }
  }
};

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
// every product costs as much as some thirty rows do.
bool keeps_panels(const Tensor& weight, const PackedWeight* packed) {
  constexpr int64_t kLarge = 2'000'000;
  return packed && weight.numel() < kLarge;
}

simd::Finish into(const Tensor& out) {
  return {.out = out.data_ptr<float>(), .stride = as_size(out.size(1))};
}

// The product g^T x on all threads. It is the sum over runs of rows that stay in the second cache;
// threads which share the columns of x go through the runs together, and take blocks of the columns
// of g from each other.
class TransposedRun {
 public:
  // The sums of the columns of g are added to `sums`, if that is not null.
  TransposedRun(const Tensor& g, const Tensor& x, const Tensor& out, float* sums)
      : g_(g.data_ptr<float>()),
        x_(x.data_ptr<float>()),
        out_(out.data_ptr<float>()),
        sums_(sums),
        depth_(as_size(g.size(0))),
        g_stride_(as_size(g.stride(0))),
        x_stride_(as_size(x.stride(0))),
        rows_(g.size(1)),
        columns_(x.size(1)),
        strips_(ceiling(rows_, as_count(simd::strip_height()))),
        panels_(ceiling(columns_, as_count(simd::panel_width()))),
        division_(strips_, panels_),
        blocks_(blocks()) {}

  void run() {
    const int64_t parts = division_.column_parts, threads = division_.row_parts;
    std::deque<SharedTasks> tasks;
    for (int64_t c = 0; c < parts; ++c) {
      tasks.emplace_back(threads, blocks_, ceiling(as_count(depth_), as_count(kDepth)));
    }
    at::parallel_for(0, parts * threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        work_on(tasks[as_size(i % parts)], i / parts, columns_of(i % parts));
      }
    });
  }

 private:
  static constexpr size_t kDepth = 256;  // rows of a run

  struct Span {
    size_t begin, end;
    size_t size() const { return end - begin; }
  };

  // Enough of them for each thread to have several, and a few strips in each, which are packed
  // together.
  int64_t blocks() const {
    constexpr int64_t kPerThread = 4, kLeastStrips = 4;
    const auto most = as_count(simd::block_height(kDepth) / simd::strip_height());
    const int64_t strips =
        std::clamp<int64_t>(strips_ / (division_.row_parts * kPerThread), kLeastStrips, most);
    const int64_t blocks = ceiling(strips_, strips);
    return std::min(ceiling(blocks, division_.row_parts) * division_.row_parts, strips_);
  }

  Span columns_of(int64_t part) const {
    const int64_t panel = as_count(simd::panel_width()), parts = division_.column_parts;
    return {as_size(panels_ * part / parts * panel),
            as_size(std::min(panels_ * (part + 1) / parts * panel, columns_))};
  }
  Span block(int64_t task) const {
    return {as_size(rows_ * task / blocks_), as_size(rows_ * (task + 1) / blocks_)};
  }
  Span run_at(int64_t pass) const {
    const size_t first = std::min(as_size(pass) * kDepth, depth_);
    return {first, std::min(first + kDepth, depth_)};
  }

  void work_on(SharedTasks& tasks, int64_t thread, const Span& columns) const {
    thread_local simd::Scratch scratch;
    float* panels = scratch.take(simd::packed_size(columns.size(), kDepth));
    tasks.join(thread, [&](const SharedTasks::Turn& turn, bool first_of_pass) {
      const Span run = run_at(turn.pass), rows = block(turn.task);
      if (first_of_pass) {
        simd::pack(x_ + run.begin * x_stride_ + columns.begin, x_stride_, run.size(),
                   columns.size(), panels);
      }
      const SharedTasks::Turn next = tasks.after(thread, turn);
      simd::multiply({.data = g_ + run.begin * g_stride_,
                      .stride = g_stride_,
                      .transposed = true,
                      .row_sums = columns.begin == 0 ? sums_ : nullptr},
                     panels, run.size(), {rows.begin, rows.end, 0, columns.size()},
                     {.kind = turn.pass == 0 ? simd::Finish::Kind::store : simd::Finish::Kind::add,
                      .out = out_ + columns.begin,
                      .stride = as_size(columns_)},
                     {.left = g_ahead(next), .right = x_ahead(turn, columns)});
    });
  }

  simd::Ahead g_ahead(const SharedTasks::Turn& turn) const {
    const Span run = run_at(turn.pass), rows = block(turn.task);
    return {g_, run.begin * g_stride_ + rows.begin, g_stride_, run.size(), rows.size()};
  }

  // A share of what is packed next: each turn of a pass fetches another.
  simd::Ahead x_ahead(const SharedTasks::Turn& turn, const Span& columns) const {
    const Span run = run_at(turn.pass + 1);
    const auto turns = as_size(ceiling(blocks_, division_.row_parts));
    const size_t turn_of_pass = as_size(turn.task) % turns;
    const size_t first = run.begin + run.size() * turn_of_pass / turns,
                 last = run.begin + run.size() * (turn_of_pass + 1) / turns;
    return {x_, first * x_stride_ + columns.begin, x_stride_, last - first, columns.size()};
  }

  const float *g_, *x_;
  float *out_, *sums_;
  size_t depth_, g_stride_, x_stride_;
  int64_t rows_, columns_, strips_, panels_;
  Division division_;
  int64_t blocks_;
};

Tensor run_transposed_product(const Tensor& g, const Tensor& x, float* sums) {
  const Tensor out = torch::empty({g.size(1), x.size(1)}, g.options());
  if (g.size(0) == 0 || out.numel() == 0) return out.zero_();
  TransposedRun(g, x, out, sums).run();
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
  run_with_panels(x, panels, w.size(0), finish);
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
  simd::Finish finish = into(out);
  if (offset.defined()) finish.bias = offset.data_ptr<float>();
  run_product_by_transpose(rows, weight, packed, finish);
  return out;
}

Tensor product(const Tensor& g, const Tensor& w) {
  if (!fused_products({&g, &w})) return torch::mm(g, w);
  if (needs_graph({&g, &w})) return Product::apply(g, w);
  Tensor out = torch::empty({g.size(0), w.size(1)}, g.options());
  run_product(as_matrix(g), as_matrix(w), into(out));
  return out;
}

Tensor transposed_product(const Tensor& g, const Tensor& x) {
  if (!fused_products({&g, &x})) return torch::mm(g.t(), x);
  if (needs_graph({&g, &x})) return TransposedProduct::apply(g, x);
  return run_transposed_product(as_matrix(g), as_matrix(x), nullptr);
}

}  // namespace eqm::kernel
