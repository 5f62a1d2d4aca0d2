#include "eqm/kernel/ops.h"

#include <cmath>

#include <torch/nn/functional/linear.h>

namespace eqm::kernel {
namespace {

constexpr double kLayerNormEps = 1e-6;

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return torch::nn::functional::linear(x, weight, bias);
}

Tensor linear_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return torch::gelu(linear(x, weight, bias), "tanh");
}

Tensor layer_norm_modulate(const Tensor& h, const Tensor& shift, const Tensor& scale) {
  const Tensor normal = torch::layer_norm(h, {h.size(-1)}, {}, {}, kLayerNormEps);
  return normal * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1);
}

Tensor attention(const Tensor& qkv, int64_t heads) {
  const int64_t batch = qkv.size(0), tokens = qkv.size(1), width = qkv.size(2) / 3;
  const int64_t head_width = width / heads;
  const Tensor parts = qkv.reshape({batch, tokens, 3, heads, head_width}).permute({2, 0, 3, 1, 4});
  const Tensor q = parts[0] * (1.0 / std::sqrt(static_cast<double>(head_width)));
  const Tensor weights = torch::softmax(torch::matmul(q, parts[1].transpose(-2, -1)), -1);
  return torch::matmul(weights, parts[2]).transpose(1, 2).reshape({batch, tokens, width});
}

Tensor gated_residual(const Tensor& h, const Tensor& branch, const Tensor& gate) {
  return h + gate.unsqueeze(1) * branch;
}

Tensor patchify(const Tensor& image, int64_t patch) {
  const int64_t batch = image.size(0), channels = image.size(1);
  const int64_t rows = image.size(2) / patch, columns = image.size(3) / patch;
  return image.reshape({batch, channels, rows, patch, columns, patch})
      .permute({0, 2, 4, 1, 3, 5})
      .reshape({batch, rows * columns, channels * patch * patch});
}

Tensor unpatchify(const Tensor& tokens, int64_t patch, int64_t channels) {
  const int64_t batch = tokens.size(0);
  const auto grid = static_cast<int64_t>(std::llround(std::sqrt(tokens.size(1))));
  return tokens.reshape({batch, grid, grid, patch, patch, channels})
      .permute({0, 5, 1, 3, 2, 4})
      .reshape({batch, channels, grid * patch, grid * patch});
}

}  // namespace eqm::kernel
