#include "eqm/backbone/sit.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/backbone/embeddings.h"
#include "eqm/backbone/initialise.h"
#include "eqm/backbone/scope.h"
#include "eqm/base/error.h"
#include "eqm/kernel/ops.h"

namespace eqm {
namespace {

Tensor project(const torch::nn::Linear& layer, const Tensor& x) {
  return kernel::linear(x, {layer->weight, layer->bias});
}

}  // namespace

class SitBlock : public Scope {
 public:
  explicit SitBlock(const SitConfig& config) : heads_(config.num_heads) {
    const int64_t width = config.hidden_size;
    const auto hidden = static_cast<int64_t>(static_cast<double>(width) * config.mlp_ratio);
    auto attn = scope("attn");
    qkv = attn->linear("qkv", width, 3 * width);
    proj = attn->linear("proj", width, width);
    auto mlp = scope("mlp");
    fc1 = mlp->linear("fc1", width, hidden);
    fc2 = mlp->linear("fc2", hidden, width);
    modulation = scope("adaLN_modulation")->linear("1", width, 6 * width);
  }

  // modulation_rows [B, 6D]: shift, scale, gate of the attention, then of the MLP
  Tensor forward(const Tensor& h, const Tensor& modulation_rows) const {
    const std::vector<Tensor> m = modulation_rows.chunk(6, 1);
    const kernel::Branch to_attention = kernel::branch_off(h, m[0], m[1]);
    const Tensor joint = kernel::linear(to_attention.into, {qkv->weight, qkv->bias, &packed_qkv_});
    const Tensor middle = kernel::linear_gated(to_attention.past, kernel::attention(joint, heads_),
                                               {proj->weight, proj->bias, &packed_proj_}, m[2]);
    const kernel::Branch to_mlp = kernel::branch_off(middle, m[3], m[4]);
    return kernel::mlp_gated(to_mlp.past, to_mlp.into, {fc1->weight, fc1->bias, &packed_fc1_},
                             {fc2->weight, fc2->bias, &packed_fc2_}, m[5]);
  }

  torch::nn::Linear qkv{nullptr}, proj{nullptr}, fc1{nullptr}, fc2{nullptr}, modulation{nullptr};

 private:
  int64_t heads_;
  mutable kernel::PackedWeight packed_qkv_, packed_proj_, packed_fc1_, packed_fc2_;
};

Sit::Sit(const SitConfig& config) : config_(config) {
  check(config);
  const int64_t width = config.hidden_size, patch = config.patch_size;
  const int64_t out_channels = config.in_channels * (config.learn_sigma ? 2 : 1);
  const int64_t grid = config.input_size / patch;

  pos_embed_ = register_parameter("pos_embed", torch::empty({1, grid * grid, width}),
                                  /*requires_grad=*/false);
  auto x_embedder = register_module("x_embedder", std::make_shared<Scope>());
  patch_projection_ = x_embedder->register_module(
      "proj",
      torch::nn::Conv2d(torch::nn::Conv2dOptions(config.in_channels, width, patch).stride(patch)));
  auto time_mlp = register_module("t_embedder", std::make_shared<Scope>())->scope("mlp");
  time_in_ = time_mlp->linear("0", kSitTimeFeatures, width);
  time_out_ = time_mlp->linear("2", width, width);
  auto y_embedder = register_module("y_embedder", std::make_shared<Scope>());
  const int64_t rows = config.num_classes + (config.class_dropout_prob > 0 ? 1 : 0);
  label_table_ = y_embedder->register_module("embedding_table", torch::nn::Embedding(rows, width));
  auto blocks = register_module("blocks", std::make_shared<Scope>());
  for (int64_t i = 0; i < config.depth; ++i) {
    blocks_.push_back(
        blocks->register_module(std::to_string(i), std::make_shared<SitBlock>(config)));
  }
  auto final_layer = register_module("final_layer", std::make_shared<Scope>());
  final_linear_ = final_layer->linear("linear", width, patch * patch * out_channels);
  final_modulation_ = final_layer->scope("adaLN_modulation")->linear("1", width, 2 * width);
  initialise(0);
}

void Sit::initialise(uint64_t seed) {
  const torch::NoGradGuard guard;
  for (const Tensor& parameter : parameters()) parameter.zero_();
  const int64_t grid = config_.input_size / config_.patch_size;
  pos_embed_.copy_(position_table(config_.hidden_size, grid).unsqueeze(0));
  Initialiser fill(seed);
  fill.xavier(patch_projection_->weight);
  fill.normal(time_in_->weight, 0.02);
  fill.normal(time_out_->weight, 0.02);
  fill.normal(label_table_->weight, 0.02);
  // adaLN projections and the final layer stay zero: every block starts as the identity.
  for (const auto& block : blocks_) {
    for (const auto& layer : {block->qkv, block->proj, block->fc1, block->fc2}) {
      fill.xavier(layer->weight);
    }
  }
}

Tensor Sit::embed_time(const Tensor& time) {
  const Tensor features = time_features(time.to(time_in_->weight.options()), kSitTimeFeatures);
  return project(time_out_, torch::silu(project(time_in_, features)));
}

Tensor Sit::embed_condition(const Condition& condition, int64_t batch) {
  const torch::Device device = label_table_->weight.device();
  const Tensor labels = effective_labels(condition.labels, batch, device);
  const Tensor time =
      condition.time.defined() ? condition.time : torch::zeros({batch}, options_of(*this));
  return embed_time(time) + label_table_->forward(labels);
}

std::vector<Tensor> Sit::modulation(const Tensor& c) {
  const Tensor active = torch::silu(c);
  std::vector<Tensor> rows;
  for (const auto& block : blocks_) rows.push_back(project(block->modulation, active));
  rows.push_back(project(final_modulation_, active));
  return rows;
}

Tensor Sit::embed_patches(const Tensor& x) {
  // A convolution with kernel = stride = p is a linear map of each flattened patch.
  const Tensor weight = patch_projection_->weight.flatten(1);
  return kernel::linear(kernel::patchify(x, config_.patch_size), {weight, patch_projection_->bias});
}

Tensor Sit::run_block(size_t i, const Tensor& h, const Tensor& modulation_rows) {
  return blocks_[i]->forward(h, modulation_rows);
}

Tensor Sit::finish(const Tensor& h, const Tensor& modulation_rows) {
  const std::vector<Tensor> m = modulation_rows.chunk(2, 1);
  const int64_t out_channels = config_.in_channels * (config_.learn_sigma ? 2 : 1);
  return kernel::linear_image(kernel::layer_norm_modulate(h, m[0], m[1]),
                              {final_linear_->weight, final_linear_->bias, &packed_final_},
                              config_.patch_size, out_channels);
}

Prediction Sit::forward_with(const Tensor& x, const Conditioning& m) {
  if (x.dim() != 4 || x.sizes().slice(1) != torch::IntArrayRef(state_shape())) {
    throw Error(ErrorKind::usage,
                fmt::format("the model takes states of shape {}x{}x{}", config_.in_channels,
                            config_.input_size, config_.input_size),
                "give them as [n, channels, height, width]; {size} and the model must agree");
  }
  Tensor h = embed_patches(x) + pos_embed_;
  for (size_t i = 0; i < blocks_.size(); ++i) h = run_block(i, h, m[i]);
  Tensor image = finish(h, m.back());
  if (config_.learn_sigma) image = image.narrow(1, 0, config_.in_channels);
  return {.output = image, .features = h};
}

Shape Sit::state_shape() const {
  return {config_.in_channels, config_.input_size, config_.input_size};
}

double Sit::activation_floats_per_row() const {
  const auto side = static_cast<double>(config_.input_size / config_.patch_size);
  const double tokens = side * side, width = static_cast<double>(config_.hidden_size);
  // The residual stream and the wider of attention (q, k, v, their products) and MLP.
  const double attention = 5 * width + 2 * tokens * static_cast<double>(config_.num_heads);
  return tokens * (2 * width + std::max(attention, 2 * config_.mlp_ratio * width));
}

int64_t Sit::null_label() const {
  return config_.class_dropout_prob > 0 ? config_.num_classes : -1;
}

}  // namespace eqm
