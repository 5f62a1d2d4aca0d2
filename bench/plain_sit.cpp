#include "bench/plain_sit.h"

#include <fmt/format.h>
#include <torch/nn/functional/embedding.h>
#include <torch/nn/functional/linear.h>
#include <torch/nn/functional/normalization.h>

#include "eqm/backbone/embeddings.h"

namespace eqm::bench {
namespace F = torch::nn::functional;

Tensor plain_forward(const Sit& sit, const Tensor& x, const Tensor& labels) {
  const SitConfig& config = sit.config();
  const auto parameters = sit.named_parameters();
  const auto linear = [&](const std::string& name, const Tensor& input) {
    return F::linear(input, parameters[name + ".weight"], parameters[name + ".bias"]);
  };
  const auto modulated = [&](const Tensor& h, const Tensor& shift, const Tensor& scale) {
    const Tensor normal = F::layer_norm(h, F::LayerNormFuncOptions({config.hidden_size}).eps(1e-6));
    return normal * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1);
  };
  const int64_t batch = x.size(0), width = config.hidden_size, heads = config.num_heads;
  Tensor h = torch::conv2d(x, parameters["x_embedder.proj.weight"],
                           parameters["x_embedder.proj.bias"], config.patch_size)
                 .flatten(2)
                 .transpose(1, 2) +
             parameters["pos_embed"];
  const int64_t tokens = h.size(1);
  const Tensor features = time_features(torch::zeros({batch}, x.options()), 256);
  const Tensor time = linear("t_embedder.mlp.2", torch::silu(linear("t_embedder.mlp.0", features)));
  const Tensor c =
      torch::silu(time + F::embedding(labels, parameters["y_embedder.embedding_table.weight"]));
  for (int64_t i = 0; i < config.depth; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    const auto m = linear(block + "adaLN_modulation.1", c).chunk(6, 1);
    const auto qkv = linear(block + "attn.qkv", modulated(h, m[0], m[1]))
                         .reshape({batch, tokens, 3, heads, width / heads})
                         .permute({2, 0, 3, 1, 4})
                         .unbind(0);
    const double scale = 1.0 / std::sqrt(static_cast<double>(width / heads));
    const Tensor weights =
        torch::softmax(torch::matmul(qkv[0] * scale, qkv[1].transpose(-2, -1)), -1);
    const Tensor attended =
        torch::matmul(weights, qkv[2]).transpose(1, 2).reshape({batch, tokens, width});
    h = h + m[2].unsqueeze(1) * linear(block + "attn.proj", attended);
    const Tensor hidden = torch::gelu(linear(block + "mlp.fc1", modulated(h, m[3], m[4])), "tanh");
    h = h + m[5].unsqueeze(1) * linear(block + "mlp.fc2", hidden);
  }
  const auto m = linear("final_layer.adaLN_modulation.1", c).chunk(2, 1);
  const Tensor patches = linear("final_layer.linear", modulated(h, m[0], m[1]));
  const int64_t p = config.patch_size, grid = config.input_size / p;
  return torch::einsum("nhwpqc->nchpwq",
                       {patches.reshape({batch, grid, grid, p, p, config.in_channels})})
      .reshape({batch, config.in_channels, config.input_size, config.input_size});
}

}  // namespace eqm::bench
