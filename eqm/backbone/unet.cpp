#include "eqm/backbone/unet.h"

#include <fmt/format.h>

#include "eqm/backbone/embeddings.h"
#include "eqm/backbone/unet_layers.h"
#include "eqm/base/error.h"
#include "eqm/kernel/ops.h"

namespace eqm {

Unet::Unet(const UnetConfig& config) : config_(config) {
  check(config);
  const int64_t embedded = 4 * config.model_channels;
  if (!config.ignore_time) {
    auto time_embed = register_module("time_embed", std::make_shared<Scope>());
    time_in_ = time_embed->linear("0", config.model_channels, embedded);
    time_out_ = time_embed->linear("2", embedded, embedded);
  }
  if (config.num_classes > 0) {
    // The null class is the padding row: what it adds is never trained.
    label_table_ = register_module(
        "label_emb",
        torch::nn::Embedding(torch::nn::EmbeddingOptions(config.num_classes + 1, embedded)
                                 .padding_idx(config.num_classes)));
  }
  const auto build = [&](Scope& parent, const UnetLayout::Block& places) {
    Block block;
    for (size_t i = 0; i < places.size(); ++i) {
      block.push_back(
          parent.register_module(std::to_string(i), make_unet_layer(config, places[i])));
    }
    return block;
  };
  const auto build_all = [&](const char* name, const std::vector<UnetLayout::Block>& list) {
    auto parent = register_module(name, std::make_shared<Scope>());
    std::vector<Block> blocks;
    for (size_t i = 0; i < list.size(); ++i) {
      blocks.push_back(build(*parent->scope(std::to_string(i)), list[i]));
    }
    return blocks;
  };
  const UnetLayout layout = unet_layout(config);
  down_ = build_all("input_blocks", layout.down);
  middle_ = build(*register_module("middle_block", std::make_shared<Scope>()), layout.middle);
  up_ = build_all("output_blocks", layout.up);
  auto out = register_module("out", std::make_shared<Scope>());
  out_norm_ = out->register_module(
      "0", torch::nn::GroupNorm(torch::nn::GroupNormOptions(kUnetGroups, layout.last)));
  out_conv_ = out->register_module(
      "2",
      torch::nn::Conv2d(torch::nn::Conv2dOptions(layout.last, config.out_channels, 3).padding(1)));
  initialise(0);
}

void Unet::initialise(uint64_t seed) {
  const torch::NoGradGuard guard;
  for (const Tensor& parameter : parameters()) parameter.zero_();
  Initialiser fill(seed);
  if (time_in_) {
    fill_as_torch(fill, time_in_->weight, time_in_->bias);
    fill_as_torch(fill, time_out_->weight, time_out_->bias);
  }
  if (label_table_) {
    fill.normal(label_table_->weight, 1);
    label_table_->weight[null_label()].zero_();
  }
  for (const auto* blocks : {&down_, &up_}) {
    for (const Block& block : *blocks) {
      for (const auto& layer : block) layer->initialise(fill);
    }
  }
  for (const auto& layer : middle_) layer->initialise(fill);
  out_norm_->weight.fill_(1);  // the last convolution stays zero
}

Tensor Unet::embed_condition(const Condition& condition, int64_t batch) {
  const torch::TensorOptions type = options_of(*this);
  Tensor sum;
  if (time_in_) {
    const Tensor time =
        condition.time.defined() ? condition.time.to(type) : torch::zeros({batch}, type);
    const Tensor features = time_features(time, config_.model_channels);
    const Tensor hidden = torch::silu(kernel::linear(features, {time_in_->weight, time_in_->bias}));
    sum = kernel::linear(hidden, {time_out_->weight, time_out_->bias});
  }
  const Tensor labels = effective_labels(condition.labels, batch, type.device());
  if (!label_table_) return sum;
  const Tensor rows = label_table_->forward(labels);
  return sum.defined() ? sum + rows : rows;
}

Conditioning Unet::conditioning(const Condition& condition, int64_t batch) {
  const Tensor embedded = embed_condition(condition, batch);
  const Tensor active = embedded.defined() ? torch::silu(embedded) : embedded;
  Conditioning rows;
  const auto add = [&](const Block& block) {
    for (const auto& layer : block) {
      const Tensor modulation = layer->modulation(active, batch);
      if (modulation.defined()) rows.push_back(modulation);
    }
  };
  for (const Block& block : down_) add(block);
  add(middle_);
  for (const Block& block : up_) add(block);
  rows.push_back(condition.dropout);
  return rows;
}

Prediction Unet::forward_with(const Tensor& x, const Conditioning& conditioning) {
  const int64_t halved = int64_t{1} << (config_.channel_mult.size() - 1);
  if (x.dim() != 4 || x.size(1) != config_.in_channels || x.size(2) % halved != 0 ||
      x.size(3) % halved != 0) {
    throw Error(ErrorKind::usage,
                fmt::format("the model takes states of shape {}x{}x{}", config_.in_channels,
                            config_.input_size, config_.input_size),
                "give them as [n, channels, height, width]; {size} and the model must agree");
  }
  UnetPass pass = {.conditioning = conditioning, .dropout = config_.dropout};
  const auto through = [&](const Block& block, Tensor h) {
    for (const auto& layer : block) h = layer->apply(h, pass);
    return h;
  };
  std::vector<Tensor> left;
  Tensor h = x;
  for (const Block& block : down_) left.push_back(h = through(block, h));
  h = through(middle_, h);
  for (const Block& block : up_) {
    const Tensor both = torch::cat({h, left.back()}, 1);
    left.pop_back();
    h = through(block, both);
  }
  return {.output = out_conv_->forward(torch::silu(out_norm_->forward(h))), .features = h};
}

Shape Unet::state_shape() const {
  return {config_.in_channels, config_.input_size, config_.input_size};
}

}  // namespace eqm
