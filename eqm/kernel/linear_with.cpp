#include "eqm/kernel/linear_with.h"

#include <torch/autograd.h>

#include "eqm/kernel/dispatch.h"
#include "eqm/kernel/gelu.h"
#include "eqm/kernel/image_rows.h"
#include "eqm/kernel/plain.h"
#include "eqm/kernel/products.h"
#include "eqm/kernel/twice.h"

namespace eqm::kernel {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Which gradients are wanted of the inputs x, weight and bias, of which x is the one at `first`.
Wanted wanted(AutogradContext& context, size_t first) {
  return {.x = context.needs_input_grad(first),
          .weight = context.needs_input_grad(first + 1),
          .bias = context.needs_input_grad(first + 2)};
}

// A matrix with the shape of x; nothing of nothing.
Tensor like(const Tensor& matrix, const Tensor& x) {
  return matrix.defined() ? matrix.view(x.sizes()) : matrix;
}

// Keeps map(x), or the GELU's slope there for the kind gelu_slope.
Tensor run_gelu(const Tensor& x, const LinearMap& map, float* kept,
                simd::Epilogue::Kind kind = simd::Epilogue::Kind::gelu) {
  Tensor out = torch::empty({x.size(0), map.weight.size(0)}, x.options());
  run_gemm_nt(x, map.weight, map.packed,
              {.kind = kind,
               .bias = map.bias.data_ptr<float>(),
               .out = out.data_ptr<float>(),
               .kept = kept,
               .stride = static_cast<size_t>(map.weight.size(0))});
  return out;
}

// The argument of the GELU is a second result, so that derivatives of the backward pass reach it.
struct LinearGelu : torch::autograd::Function<LinearGelu> {
  static variable_list forward(AutogradContext* context, const Tensor& x, const Tensor& w,
                               const Tensor& bias, PackedWeight* packed) {
    context->set_materialize_grads(false);
    const Tensor u = torch::empty({x.size(0), w.size(0)}, x.options());
    const Tensor out = run_gelu(x, {w, bias, packed}, u.data_ptr<float>());
    context->save_for_backward({x, w, u});
    return {out, u};
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1];
    Tensor g = grads[1];
    if (grads[0].defined()) {
      const Tensor inner = gelu_gradient(grads[0], saved[2]);
      g = g.defined() ? g + inner : inner;
    }
    if (!g.defined()) return {Tensor(), Tensor(), Tensor(), Tensor()};
    const LinearGradients found = linear_gradients(g, x, w, wanted(*context, 0));
    return {found.x, found.weight, found.bias, Tensor()};
  }
};

Tensor run_gated(const Tensor& h, const Tensor& x, const LinearMap& map, const Tensor& gate,
                 float* kept) {
  Tensor out = torch::empty_like(h);
  run_gemm_nt(as_matrix(x), map.weight, map.packed,
              {.kind = simd::Epilogue::Kind::gate,
               .bias = map.bias.data_ptr<float>(),
               .out = out.data_ptr<float>(),
               .kept = kept,
               .residual = h.data_ptr<float>(),
               .stride = static_cast<size_t>(map.weight.size(0)),
               .gate = gate.data_ptr<float>(),
               .gate_stride = static_cast<size_t>(gate.stride(0)),
               .rows_per_gate = static_cast<size_t>(h.size(1))});
  return out;
}

struct GateGradients {
  Tensor branch, gate;
};

GateGradients gate_gradients(const Tensor& grad, const Tensor& branch, const Tensor& gate) {
  if (torch::GradMode::is_enabled()) {
    return {.branch = grad * gate.unsqueeze(1), .gate = (grad * branch).sum(1)};
  }
  const Tensor g = grad.contiguous();
  const int64_t parts = parts_per_image(branch);
  Tensor grad_branch = torch::empty_like(branch);
  const Tensor sums = torch::empty({branch.size(0) * parts, branch.size(2)}, branch.options());
  for_parts_of_images(branch, parts, [&](const simd::Rows& rows, size_t part) {
    simd::add_gated_backward(rows, g.data_ptr<float>(), branch.data_ptr<float>(), per_image(gate),
                             grad_branch.data_ptr<float>(),
                             sums.data_ptr<float>() + part * rows.width);
  });
  return {.branch = grad_branch, .gate = join_parts(sums, parts)};
}

// The branch is a second result, as the GELU's argument is above.
struct LinearGated : torch::autograd::Function<LinearGated> {
  static variable_list forward(AutogradContext* context, const Tensor& h, const Tensor& x,
                               const Tensor& w, const Tensor& bias, const Tensor& gate,
                               PackedWeight* packed) {
    context->set_materialize_grads(false);
    const Tensor branch = torch::empty_like(h);
    const Tensor out = run_gated(h, x, {w, bias, packed}, gate, branch.data_ptr<float>());
    context->save_for_backward({x, w, gate, branch});
    return {out, branch};
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1], &gate = saved[2], &branch = saved[3];
    Tensor g = grads[1], grad_gate;
    if (grads[0].defined()) {
      const GateGradients inner = gate_gradients(grads[0], branch, gate);
      g = g.defined() ? g + inner.branch : inner.branch;
      grad_gate = inner.gate;
    }
    if (!g.defined()) return variable_list(6);
    const LinearGradients found =
        linear_gradients(g.reshape({-1, g.size(2)}), as_matrix(x), w, wanted(*context, 1));
    return {grads[0], like(found.x, x), found.weight, found.bias, grad_gate, Tensor()};
  }
};

// Both of the above, one after the other: the GELU's derivative is taken on the tiles of the
// forward product, and applied on those of the backward one.
struct Mlp : torch::autograd::Function<Mlp> {
  static Tensor forward(AutogradContext* context, const Tensor& h, const Tensor& x,
                        const Tensor& w1, const Tensor& bias1, const Tensor& w2,
                        const Tensor& bias2, const Tensor& gate, PackedWeight* packed1,
                        PackedWeight* packed2) {
    const Tensor rows = as_matrix(x);
    const Tensor slope = torch::empty({rows.size(0), w1.size(0)}, x.options());
    const Tensor branch = torch::empty_like(h);
    const Tensor hidden = run_gelu(rows, {w1, bias1, packed1}, slope.data_ptr<float>(),
                                   simd::Epilogue::Kind::gelu_slope);
    const Tensor out = run_gated(h, hidden, {w2, bias2, packed2}, gate, branch.data_ptr<float>());
    context->save_for_backward({h, x, w1, bias1, w2, bias2, gate, slope, hidden, branch});
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[1], &w1 = saved[2], &w2 = saved[4], &gate = saved[6], &slope = saved[7],
                 &hidden = saved[8], &branch = saved[9];
    if (torch::GradMode::is_enabled()) {
      variable_list found = differentiable_gradients(
          [](const variable_list& in) {
            return plain::mlp_gated(in[0], in[1], in[2], in[3], in[4], in[5], in[6]);
          },
          {saved.begin(), saved.begin() + 7}, grads[0]);
      found.resize(9);
      return found;
    }
    const GateGradients inner = gate_gradients(grads[0], branch, gate);
    const Tensor g2 = as_matrix(inner.branch);
    const LinearGradients second = linear_gradients(
        g2, hidden, w2,
        {.x = false, .weight = context->needs_input_grad(4), .bias = context->needs_input_grad(5)});
    LinearGradients first;
    const Wanted of_first = wanted(*context, 1);
    if (of_first.x || of_first.weight || of_first.bias) {
      const Tensor g1 = torch::empty_like(slope);
      run_gemm_nn(g2, w2,
                  {.kind = simd::Epilogue::Kind::scale,
                   .out = g1.data_ptr<float>(),
                   .factor = slope.data_ptr<float>(),
                   .stride = static_cast<size_t>(slope.size(1))});
      first = linear_gradients(g1, as_matrix(x), w1, of_first);
    }
    return {grads[0],    like(first.x, x), first.weight, first.bias, second.weight,
            second.bias, inner.gate,       Tensor(),     Tensor()};
  }
};

Tensor run_image(const Tensor& x, const LinearMap& map, int64_t patch, int64_t channels) {
  const int64_t grid = grid_of(x.size(1)), side = grid * patch;
  Tensor out = torch::empty({x.size(0), channels, side, side}, x.options());
  run_gemm_nt(as_matrix(x), map.weight, map.packed,
              {.kind = simd::Epilogue::Kind::image,
               .bias = map.bias.data_ptr<float>(),
               .out = out.data_ptr<float>(),
               .patch = static_cast<size_t>(patch),
               .channels = static_cast<size_t>(channels),
               .grid = static_cast<size_t>(grid)});
  return out;
}

// What unpatchify makes an image of, as a matrix: [B * T, p*p*C]
Tensor tokens_of(const Tensor& image, int64_t patch) {
  const int64_t batch = image.size(0), channels = image.size(1), grid = image.size(2) / patch;
  return image.reshape({batch, channels, grid, patch, grid, patch})
      .permute({0, 2, 4, 3, 5, 1})
      .reshape({batch * grid * grid, patch * patch * channels});
}

struct LinearImage : torch::autograd::Function<LinearImage> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& w,
                        const Tensor& bias, int64_t patch, int64_t channels, PackedWeight* packed) {
    context->save_for_backward({x, w});
    context->saved_data["patch"] = patch;
    return run_image(x, {w, bias, packed}, patch, channels);
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1];
    const Tensor g = tokens_of(grads[0], context->saved_data["patch"].toInt());
    const LinearGradients found = linear_gradients(g, as_matrix(x), w, wanted(*context, 0));
    return {like(found.x, x), found.weight, found.bias, Tensor(), Tensor(), Tensor()};
  }
};

Tensor run_gate(const Tensor& h, const Tensor& branch, const Tensor& gate) {
  Tensor out = torch::empty_like(h);
  for_rows(h, [&](const simd::Rows& rows) {
    simd::add_gated(rows, h.data_ptr<float>(), branch.data_ptr<float>(), per_image(gate),
                    out.data_ptr<float>());
  });
  return out;
}

struct Gated : torch::autograd::Function<Gated> {
  static Tensor forward(AutogradContext* context, const Tensor& h, const Tensor& branch,
                        const Tensor& gate) {
    context->save_for_backward({branch, gate});
    return run_gate(h, branch, gate);
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const GateGradients inner = gate_gradients(grads[0], saved[0], saved[1]);
    return {grads[0], inner.branch, inner.gate};
  }
};

}  // namespace

Tensor fused_linear_gelu(const Tensor& x, const LinearMap& map) {
  if (!needs_graph({&x, &map.weight, &map.bias})) return run_gelu(x, map, nullptr);
  return LinearGelu::apply(x, map.weight, map.bias, map.packed)[0];
}

Tensor fused_linear_gated(const Tensor& h, const Tensor& x, const LinearMap& map,
                          const Tensor& gate) {
  if (!needs_graph({&h, &x, &map.weight, &map.bias, &gate})) {
    return run_gated(h, x, map, gate, nullptr);
  }
  return LinearGated::apply(h, x, map.weight, map.bias, gate, map.packed)[0];
}

Tensor fused_mlp_gated(const Tensor& h, const Tensor& x, const LinearMap& first,
                       const LinearMap& second, const Tensor& gate) {
  if (!needs_graph({&h, &x, &first.weight, &first.bias, &second.weight, &second.bias, &gate})) {
    return run_gated(h, run_gelu(as_matrix(x), first, nullptr), second, gate, nullptr);
  }
  return Mlp::apply(h, x, first.weight, first.bias, second.weight, second.bias, gate, first.packed,
                    second.packed);
}

Tensor fused_linear_image(const Tensor& x, const LinearMap& map, int64_t patch, int64_t channels) {
  if (!needs_graph({&x, &map.weight, &map.bias})) return run_image(x, map, patch, channels);
  return LinearImage::apply(x, map.weight, map.bias, patch, channels, map.packed);
}

Tensor fused_gated_residual(const Tensor& h, const Tensor& branch, const Tensor& gate) {
  if (needs_graph({&h, &branch, &gate})) return Gated::apply(h, branch, gate);
  return run_gate(h, branch, gate);
}

}  // namespace eqm::kernel
