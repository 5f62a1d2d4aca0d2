#include "eqm/backbone/sit.h"

#include <fmt/format.h>

#include "eqm/backbone/embeddings.h"
#include "eqm/backbone/initialise.h"
#include "eqm/backbone/sit_layout.h"
#include "eqm/base/error.h"
#include "eqm/kernel/ops.h"

namespace eqm {

Sit::Sit(const SitConfig& config) : config_(config) {
  check(config);
  const SitLayout layout = sit_layout(config);
  pos_embed_ = register_parameter(kSitPositions, torch::empty(layout.positions),
                                  /*requires_grad=*/false);
  const auto add = [this](const SitPlace& place) {
    return add_layer(*this, place.name, place.weight, place.bias);
  };
  patches_ = add(layout.patches);
  time_in_ = add(layout.time_in);
  time_out_ = add(layout.time_out);
  labels_ = add(layout.labels);
  for (const SitLayout::Block& block : layout.blocks) {
    blocks_.push_back({.qkv = add(block.qkv),
                       .proj = add(block.proj),
                       .fc1 = add(block.fc1),
                       .fc2 = add(block.fc2),
                       .modulation = add(block.modulation)});
  }
  last_ = add(layout.last);
  last_modulation_ = add(layout.last_modulation);
}

void Sit::initialise(uint64_t seed) {
  constexpr double kDeviation = 0.02;
  const torch::NoGradGuard guard;
  const auto weights = named_parameters();
  for (const Tensor& parameter : parameters()) parameter.zero_();
  const int64_t grid = config_.input_size / config_.patch_size;
  pos_embed_.copy_(position_table(config_.hidden_size, grid).unsqueeze(0));
  Initialiser fill(seed);
  for (const SitPlace& place : sit_layout(config_).places()) {
    const Tensor& weight = weights[place.name + ".weight"];
    if (place.start == SitStart::xavier) fill.xavier(weight);
    if (place.start == SitStart::normal) fill.normal(weight, kDeviation);
  }
}

Tensor Sit::embed_time(const Tensor& time) const {
  const Tensor features = time_features(time.to(time_in_->weight.options()), kSitTimeFeatures);
  return kernel::linear(torch::silu(kernel::linear(features, time_in_->map())), time_out_->map());
}

Tensor Sit::embed_condition(const Condition& condition, int64_t batch) const {
  const torch::TensorOptions type = options_of(*this);
  const Tensor labels = effective_labels(condition.labels, batch, type.device());
  const Tensor time = condition.time.defined() ? condition.time : torch::zeros({batch}, type);
  return embed_time(time) + look_up(*labels_, labels);
}

std::vector<Tensor> Sit::modulation(const Tensor& c) const {
  const Tensor active = torch::silu(c);
  std::vector<Tensor> rows;
  for (const Block& block : blocks_)
    rows.push_back(kernel::linear(active, block.modulation->map()));
  rows.push_back(kernel::linear(active, last_modulation_->map()));
  return rows;
}

Tensor Sit::embed_patches(const Tensor& x) const {
  // A convolution with kernel = stride = p is a linear map of each flattened patch.
  const Tensor weight = patches_->weight.flatten(1);
  return kernel::linear(kernel::patchify(x, config_.patch_size), {weight, patches_->bias});
}

// modulation_rows [B, 6D]: shift, scale, gate of the attention, then of the MLP
Tensor Sit::run_block(size_t i, const Tensor& h, const Tensor& modulation_rows) const {
  const Block& block = blocks_[i];
  const std::vector<Tensor> m = modulation_rows.chunk(6, 1);
  const kernel::Branch to_attention = kernel::branch_off(h, m[0], m[1]);
  const Tensor joint = kernel::linear(to_attention.into, block.qkv->packed_map());
  const Tensor mixed = kernel::attention(joint, config_.num_heads);
  const Tensor middle =
      kernel::linear_gated(to_attention.past, mixed, block.proj->packed_map(), m[2]);
  const kernel::Branch to_mlp = kernel::branch_off(middle, m[3], m[4]);
  return kernel::mlp_gated(to_mlp.past, to_mlp.into, block.fc1->packed_map(),
                           block.fc2->packed_map(), m[5]);
}

Tensor Sit::finish(const Tensor& h, const Tensor& modulation_rows) const {
  const std::vector<Tensor> m = modulation_rows.chunk(2, 1);
  return kernel::linear_image(kernel::layer_norm_modulate(h, m[0], m[1]), last_->packed_map(),
                              config_.patch_size, config_.out_channels());
}

Prediction Sit::forward_with(const Tensor& x, const Conditioning& m) const {
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

int64_t Sit::null_label() const {
  return config_.class_dropout_prob > 0 ? config_.num_classes : -1;
}

}  // namespace eqm
