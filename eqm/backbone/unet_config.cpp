// UnetConfig: rules, presets and JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/fields.h"
#include "eqm/backbone/unet_layout.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"

namespace eqm {
namespace {

// Beyond these a configuration is a damaged or hostile file, not a model.
constexpr int64_t kMostModelChannels = 4096, kMostMult = 64, kMostResBlocks = 64;
constexpr size_t kMostLevels = 10, kMostAttentions = 16;
constexpr int64_t kMostSide = 4096, kMostUnetChannels = 4096, kMostUnetClasses = 10'000'000;

void require(bool holds, const std::string& rule) {
  if (!holds)
    throw Error(ErrorKind::usage, fmt::format("this U-Net cannot be built: {}", rule),
                "begin from the preset unet-small or unet-cifar10, and change a little at a time");
}

void check_levels(const UnetConfig& config) {
  const size_t levels = config.channel_mult.size();
  require(levels >= 1 && levels <= kMostLevels, "channel_mult must have 1 to 10 levels");
  for (const int64_t mult : config.channel_mult) {
    require(mult >= 1 && mult <= kMostMult, "channel_mult must be from 1 to 64");
    require(mult * config.model_channels % kUnetGroups == 0,
            fmt::format("the channels of a level must be a multiple of 32, not {}",
                        mult * config.model_channels));
  }
  const int64_t halved = int64_t{1} << (levels - 1);
  require(
      config.input_size >= 1 && config.input_size <= kMostSide && config.input_size % halved == 0,
      fmt::format("input_size must be a multiple of {}, which {} levels need", halved, levels));
}

void check_attention(const UnetConfig& config) {
  require(config.attention_resolutions.size() <= kMostAttentions,
          "attention_resolutions has too many sizes");
  for (const int64_t factor : config.attention_resolutions) {
    require(factor >= 1 && factor <= kMostSide, "attention_resolutions must be from 1 to 4096");
  }
  require(config.num_heads >= 1, "num_heads must be at least 1");
  require(config.num_head_channels == -1 || config.num_head_channels >= 1,
          "num_head_channels must be at least 1, or -1 for num_heads");
  // The middle block always has attention, at the width of the last level.
  const UnetLayout layout = unet_layout(config);
  const auto fits = [&](const UnetLayout::Block& block) {
    for (const UnetPlace& place : block) {
      if (place.part != UnetPart::attention) continue;
      const int64_t parts =
          config.num_head_channels > 0 ? config.num_head_channels : config.num_heads;
      require(place.out % parts == 0, config.num_head_channels > 0
                                          ? "channels must be a multiple of num_head_channels"
                                          : "channels must be a multiple of num_heads");
    }
  };
  for (const auto& block : layout.down) fits(block);
  fits(layout.middle);
}

// An argument of the reference that has only one value here.
void demand_value(const nlohmann::json& json, const char* name, bool wanted) {
  if (json.value(name, wanted) == wanted) return;
  throw Error(ErrorKind::input, fmt::format("a U-Net with {} {} is not known", name, !wanted),
              fmt::format("only those with {} are", wanted));
}

}  // namespace

void check(const UnetConfig& config) {
  require(config.in_channels >= 1 && config.in_channels <= kMostUnetChannels,
          "in_channels must be from 1 to 4096");
  require(config.out_channels == config.in_channels,
          "out_channels must be in_channels, because it predicts a gradient");
  require(config.model_channels >= 2 && config.model_channels % 2 == 0 &&
              config.model_channels <= kMostModelChannels,
          "model_channels must be even, from 2 to 4096");
  require(config.num_res_blocks >= 1 && config.num_res_blocks <= kMostResBlocks,
          "num_res_blocks must be from 1 to 64");
  require(config.num_classes >= 0 && config.num_classes <= kMostUnetClasses,
          "num_classes must be from 0 to 10 million");
  require(config.dropout >= 0 && config.dropout < 1, "dropout must be from 0 to below 1");
  check_levels(config);
  check_attention(config);
}

std::vector<std::string> unet_preset_names() {
  return {"unet-cifar10", "unet-small"};
}

UnetConfig unet_preset(const std::string& name) {
  if (name == "unet-cifar10") return {};
  if (name == "unet-small") {
    return {.model_channels = 32,
            .channel_mult = {1, 2, 4},
            .num_res_blocks = 1,
            .attention_resolutions = {4},
            .num_heads = 4};
  }
  throw Error(ErrorKind::usage, fmt::format("unknown U-Net '{}'", name),
              suggestion(name, unet_preset_names()));
}

std::string to_json(const UnetConfig& config) {
  nlohmann::json json = fields_to_json(config);
  json["kind"] = "unet";
  if (config.num_classes == 0) json["num_classes"] = nullptr;  // as the reference says it
  json["use_scale_shift_norm"] = true;
  json["use_new_attention_order"] = true;
  return json.dump();
}

UnetConfig unet_config_from_json(const std::string& text) {
  return read_architecture("a U-Net", text, [](nlohmann::json json) {
    demand_value(json, "use_scale_shift_norm", true);
    demand_value(json, "use_new_attention_order", true);
    demand_value(json, "with_fourier_features", false);
    if (json.at("num_classes").is_null()) json["num_classes"] = 0;
    if (!json.contains("ignore_time")) json["ignore_time"] = false;
    return fields_from_json<UnetConfig>(json);
  });
}

}  // namespace eqm
