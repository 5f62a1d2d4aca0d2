// Each operator of a SiT-S/2 block at batch 8, and of the small model, against its reference
// implementation.
#include <fmt/format.h>

#include "bench/works.h"
#include "eqm/kernel/ops.h"
#include "eqm/kernel/plain.h"

namespace eqm::bench {
namespace {

struct Block {
  const char* name;
  int64_t batch, tokens, width, heads, patch, channels;
};
constexpr Block kBlocks[] = {{"S/2", 8, 256, 384, 6, 2, 4}, {"XS/4", 64, 49, 192, 3, 4, 1}};

using Operator = std::function<Tensor()>;

// The operator alone, and with its gradients.
void add(std::vector<NamedWork>& works, const std::string& name, double flops,
         const Operator& plain, const Operator& ours) {
  const auto alone = [](const Operator& f) {
    return [f] {
      const torch::NoGradGuard guard;
      f();
    };
  };
  const auto both = [](const Operator& f) { return [f] { f().sum().backward(); }; };
  works.push_back({name, [=] { return Work{flops, alone(plain), alone(ours)}; }});
  works.push_back({name + " + backward", [=] { return Work{3 * flops, both(plain), both(ours)}; }});
}

void add_block(std::vector<NamedWork>& works, const Block& block) {
  const int64_t b = block.batch, t = block.tokens, d = block.width, heads = block.heads;
  const auto leaf = [](const Shape& shape) {
    return torch::randn(shape).mul_(0.05).requires_grad_(true);
  };
  const auto name = [&](const char* text) { return fmt::format("{} {}", block.name, text); };
  const auto rows = static_cast<double>(b * t), width = static_cast<double>(d);
  const Tensor h = leaf({b, t, d}), wide = leaf({b, t, 4 * d}), qkv = leaf({b, t, 3 * d});
  const Tensor shift = leaf({b, d}), scale = leaf({b, d}), gate = leaf({b, d});
  const Tensor w3 = leaf({3 * d, d}), b3 = leaf({3 * d}), w4 = leaf({4 * d, d}), b4 = leaf({4 * d});
  const Tensor down = leaf({d, 4 * d}), bias = leaf({d});
  const auto packed = [] { return std::make_shared<kernel::PackedWeight>(); };
  add(
      works, name("linear, D to 3D"), 6 * rows * width * width,
      [=] { return kernel::plain::linear(h, w3, b3); },
      [=, p = packed()] {
        return kernel::linear(h, {w3, b3, p.get()});
      });
  add(
      works, name("linear + GELU, D to 4D"), 8 * rows * width * width,
      [=] { return kernel::plain::linear_gelu(h, w4, b4); },
      [=, p = packed()] {
        return kernel::linear_gelu(h, {w4, b4, p.get()});
      });
  add(
      works, name("linear + gate, 4D to D"), 8 * rows * width * width,
      [=] { return kernel::plain::linear_gated(h, wide, down, bias, gate); },
      [=, p = packed()] {
        return kernel::linear_gated(h, wide, {down, bias, p.get()}, gate);
      });
  add(
      works, name("MLP + gate"), 16 * rows * width * width,
      [=] { return kernel::plain::mlp_gated(h, h, w4, b4, down, bias, gate); },
      [=, p = packed(), q = packed()] {
        return kernel::mlp_gated(h, h, {w4, b4, p.get()}, {down, bias, q.get()}, gate);
      });
  const int64_t patch = block.patch, channels = block.channels;
  const double pixels = static_cast<double>(patch * patch * channels);
  const Tensor last = leaf({patch * patch * channels, d}),
               last_bias = leaf({patch * patch * channels});
  add(
      works, name("linear + unpatchify"), 2 * rows * width * pixels,
      [=] {
        return kernel::unpatchify(kernel::plain::linear(h, last, last_bias), patch, channels);
      },
      [=, p = packed()] {
        return kernel::linear_image(h, {last, last_bias, p.get()}, patch, channels);
      });
  add(
      works, name("layer norm + modulation"), 0,
      [=] { return kernel::plain::layer_norm_modulate(h, shift, scale); },
      [=] { return kernel::layer_norm_modulate(h, shift, scale); });
  add(
      works, name("norm + MLP + gate, a branch"), 16 * rows * width * width,
      [=] {
        const Tensor x = kernel::plain::layer_norm_modulate(h, shift, scale);
        return kernel::plain::mlp_gated(h, x, w4, b4, down, bias, gate);
      },
      [=, p = packed(), q = packed()] {
        const kernel::Branch way = kernel::branch_off(h, shift, scale);
        return kernel::mlp_gated(way.past, way.into, {w4, b4, p.get()}, {down, bias, q.get()},
                                 gate);
      });
  add(
      works, name("gated residual"), 0, [=] { return kernel::plain::gated_residual(h, h, gate); },
      [=] { return kernel::gated_residual(h, h, gate); });
  add(
      works, name("attention"), 4 * rows * static_cast<double>(t) * width,
      [=, n = heads] { return kernel::plain::attention(qkv, n); },
      [=, n = heads] { return kernel::attention(qkv, n); });
}

}  // namespace

std::vector<NamedWork> operator_works() {
  std::vector<NamedWork> works;
  for (const Block& block : kBlocks) add_block(works, block);
  return works;
}

}  // namespace eqm::bench
