#include "eqm/backbone/unet_layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace eqm {
namespace {

// Builds the blocks one after the other, from `channels` at `factor`.
class UnetPlan {
 public:
  explicit UnetPlan(const UnetConfig& config)
      : config_(config), channels_(config.channel_mult.front() * config.model_channels) {}

  UnetPlace residual(int64_t in, int64_t out, UnetResize resize = UnetResize::none) const {
    return {.part = UnetPart::residual, .in = in, .out = out, .resize = resize, .factor = factor_};
  }

  UnetPlace attention() const {
    return {.part = UnetPart::attention, .in = channels_, .out = channels_, .factor = factor_};
  }

  UnetPlace resize(UnetResize how) const {
    if (config_.resblock_updown) return residual(channels_, channels_, how);
    return {.part = UnetPart::resample,
            .in = channels_,
            .out = channels_,
            .resize = how,
            .factor = factor_};
  }

  // A residual block to the width of a level, with attention where this size has it.
  UnetLayout::Block level_block(int64_t in, size_t level) {
    channels_ = config_.channel_mult[level] * config_.model_channels;
    UnetLayout::Block block = {residual(in, channels_)};
    const auto& sizes = config_.attention_resolutions;
    if (std::find(sizes.begin(), sizes.end(), factor_) != sizes.end()) block.push_back(attention());
    return block;
  }

  UnetLayout all() {
    UnetLayout layout;
    const size_t levels = config_.channel_mult.size();
    std::vector<int64_t> left = {channels_};  // by the way down
    layout.down.push_back({{.part = UnetPart::first, .in = config_.in_channels, .out = channels_}});
    for (size_t level = 0; level < levels; ++level) {
      for (int64_t i = 0; i < config_.num_res_blocks; ++i) {
        layout.down.push_back(level_block(channels_, level));
        left.push_back(channels_);
      }
      if (level + 1 == levels) break;
      layout.down.push_back({resize(UnetResize::down)});
      left.push_back(channels_);
      factor_ *= 2;
    }
    layout.middle = {residual(channels_, channels_), attention(), residual(channels_, channels_)};
    for (size_t level = levels; level-- > 0;) {
      for (int64_t i = 0; i <= config_.num_res_blocks; ++i) {
        layout.up.push_back(level_block(channels_ + left.back(), level));
        left.pop_back();
        if (level == 0 || i < config_.num_res_blocks) continue;
        layout.up.back().push_back(resize(UnetResize::up));
        factor_ /= 2;
      }
    }
    layout.last = channels_;
    return layout;
  }

 private:
  const UnetConfig& config_;
  int64_t channels_;
  int64_t factor_ = 1;
};

class ShapeList {
 public:
  explicit ShapeList(const UnetConfig& config) : config_(config) {}

  void weight_and_bias(const std::string& name, Shape weight) {
    const int64_t out = weight.front();
    list_.emplace_back(name + ".weight", std::move(weight));
    list_.emplace_back(name + ".bias", Shape{out});
  }

  void add(const std::string& name, const UnetPlace& place) {
    const int64_t in = place.in, out = place.out, embedded = 4 * config_.model_channels;
    switch (place.part) {
      case UnetPart::first:
        return weight_and_bias(name, {out, in, 3, 3});
      case UnetPart::residual:
        weight_and_bias(name + ".in_layers.0", {in});
        weight_and_bias(name + ".in_layers.2", {out, in, 3, 3});
        if (config_.ignore_time && config_.num_classes == 0) {
          list_.emplace_back(name + ".emb_layers.embedding_table", Shape{1, 2 * out});
        } else {
          weight_and_bias(name + ".emb_layers.1", {2 * out, embedded});
        }
        weight_and_bias(name + ".out_layers.0", {out});
        weight_and_bias(name + ".out_layers.3", {out, out, 3, 3});
        if (in != out) weight_and_bias(name + ".skip_connection", {out, in, 1, 1});
        return;
      case UnetPart::attention:
        weight_and_bias(name + ".norm", {out});
        weight_and_bias(name + ".qkv", {3 * out, out, 1});
        return weight_and_bias(name + ".proj_out", {out, out, 1});
      case UnetPart::resample:
        if (!config_.conv_resample) return;
        return weight_and_bias(name + (place.resize == UnetResize::down ? ".op" : ".conv"),
                               {out, in, 3, 3});
    }
  }

  void add(const std::string& name, const UnetLayout::Block& block) {
    for (size_t i = 0; i < block.size(); ++i) add(fmt::format("{}.{}", name, i), block[i]);
  }

  void add(const std::string& name, const std::vector<UnetLayout::Block>& blocks) {
    for (size_t i = 0; i < blocks.size(); ++i) add(fmt::format("{}.{}", name, i), blocks[i]);
  }

  ShapesInOrder all() {
    const UnetLayout layout = unet_layout(config_);
    const int64_t embedded = 4 * config_.model_channels;
    if (!config_.ignore_time) {
      weight_and_bias("time_embed.0", {embedded, config_.model_channels});
      weight_and_bias("time_embed.2", {embedded, embedded});
    }
    if (config_.num_classes > 0) {
      list_.emplace_back("label_emb.weight", Shape{config_.num_classes + 1, embedded});
    }
    add("input_blocks", layout.down);
    add("middle_block", layout.middle);
    add("output_blocks", layout.up);
    weight_and_bias("out.0", {layout.last});
    weight_and_bias("out.2", {config_.out_channels, layout.last, 3, 3});
    return std::move(list_);
  }

 private:
  const UnetConfig& config_;
  ShapesInOrder list_;
};

}  // namespace

UnetLayout unet_layout(const UnetConfig& config) {
  return UnetPlan(config).all();
}

ShapesInOrder unet_weight_shapes(const UnetConfig& config) {
  return ShapeList(config).all();
}

int64_t unet_heads(const UnetConfig& config, int64_t channels) {
  return config.num_head_channels > 0 ? channels / config.num_head_channels : config.num_heads;
}

}  // namespace eqm
