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
    time_in_ = add_layer(*this, "time_embed.0", {embedded, config.model_channels});
    time_out_ = add_layer(*this, "time_embed.2", {embedded, embedded});
  }
  if (config.num_classes > 0) {
    label_table_ = add_layer(*this, "label_emb", {config.num_classes + 1, embedded}, Bias::none);
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
  out_norm_ = add_layer(*this, "out.0", {layout.last});
  out_conv_ = add_layer(*this, "out.2", {config.out_channels, layout.last, 3, 3});
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

Tensor Unet::embed_condition(const Condition& condition, int64_t batch) const {
  const torch::TensorOptions type = options_of(*this);
  Tensor sum;
  if (time_in_) {
    const Tensor time =
        condition.time.defined() ? condition.time.to(type) : torch::zeros({batch}, type);
    const Tensor features = time_features(time, config_.model_channels);
    const Tensor hidden = torch::silu(kernel::linear(features, time_in_->map()));
    sum = kernel::linear(hidden, time_out_->map());
  }
  const Tensor labels = effective_labels(condition.labels, batch, type.device());
  if (!label_table_) return sum;
  // The null class is the padding row: what it adds is never trained.
  const Tensor rows = look_up(*label_table_, labels, null_label());
  return sum.defined() ? sum + rows : rows;
}

Conditioning Unet::conditioning(const Condition& condition, int64_t batch) const {
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

Prediction Unet::forward_with(const Tensor& x, const Conditioning& conditioning) const {
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
  const Tensor last = torch::silu(group_norm(*out_norm_, h, kUnetGroups));
  return {.output = convolve(*out_conv_, last), .features = h};
}

Shape Unet::state_shape() const {
  return {config_.in_channels, config_.input_size, config_.input_size};
}

}  // namespace eqm
