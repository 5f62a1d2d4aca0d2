#include "eqm/kernel/plain.h"

#include <cmath>

#include <torch/nn/functional/linear.h>

#include "eqm/kernel/norm.h"

namespace eqm::kernel::plain {
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

Tensor linear_gated(const Tensor& h, const Tensor& x, const Tensor& weight, const Tensor& bias,
                    const Tensor& gate) {
  return gated_residual(h, linear(x, weight, bias), gate);
}

Tensor mlp_gated(const Tensor& h, const Tensor& x, const Tensor& weight1, const Tensor& bias1,
                 const Tensor& weight2, const Tensor& bias2, const Tensor& gate) {
  return linear_gated(h, linear_gelu(x, weight1, bias1), weight2, bias2, gate);
}

}  // namespace eqm::kernel::plain
