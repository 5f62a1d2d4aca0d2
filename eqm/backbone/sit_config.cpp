// SitConfig: rules, presets and JSON.
#include <fmt/format.h>

#include "eqm/backbone/fields.h"
#include "eqm/backbone/sit.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"

namespace eqm {
namespace {

struct Size {
  const char* name;
  int64_t depth, width, heads;
};

constexpr Size kSizes[] = {
    {"XS", 6, 192, 3},   {"S", 12, 384, 6},    {"B", 12, 768, 12},
    {"L", 24, 1024, 16}, {"XL", 28, 1152, 16},
};
constexpr int64_t kPatches[] = {1, 2, 4, 8};

// Beyond these a configuration is a damaged or hostile file, not a model.
constexpr int64_t kMostWidth = 16384, kMostDepth = 1024, kMostTokensPerSide = 512;
constexpr int64_t kMostClasses = 10'000'000, kMostChannels = 4096, kMostMlpRatio = 64;

void demand(bool holds, const char* rule) {
  if (holds) return;
  throw Error(ErrorKind::usage, fmt::format("this SiT cannot be built: {}", rule),
              "{width} is the hidden size, {heads} the number of heads, {size} the input's");
}

}  // namespace

void check(const SitConfig& config) {
  demand(config.patch_size >= 1, "patch_size must be at least 1");
  demand(config.input_size >= 1 && config.input_size % config.patch_size == 0,
         "input_size must be a multiple of patch_size");
  demand(config.input_size / config.patch_size <= kMostTokensPerSide, "too many tokens");
  demand(config.patch_size <= 1024, "patch_size is beyond reason");
  demand(config.in_channels >= 1 && config.in_channels <= kMostChannels,
         "in_channels must be from 1 to 4096");
  demand(config.hidden_size >= 4 && config.hidden_size % 4 == 0 && config.hidden_size <= kMostWidth,
         "hidden_size must be a multiple of 4, at most 16384");
  demand(config.num_heads >= 1 && config.hidden_size % config.num_heads == 0,
         "hidden_size must be a multiple of num_heads");
  demand(config.depth >= 1 && config.depth <= kMostDepth, "depth must be from 1 to 1024");
  demand(config.num_classes >= 0 && config.num_classes <= kMostClasses,
         "num_classes must be from 0 to 10 million");
  demand(config.class_dropout_prob >= 0 && config.class_dropout_prob <= 1,
         "class_dropout_prob must be from 0 to 1");
  demand(config.num_classes > 0 || config.class_dropout_prob > 0,
         "a model without classes needs the null class (class_dropout_prob above 0)");
  demand(config.mlp_ratio > 0 && config.mlp_ratio <= kMostMlpRatio &&
             static_cast<double>(config.hidden_size) * config.mlp_ratio >= 1,
         "mlp_ratio must be above 0, at most 64");
}

std::vector<std::string> sit_preset_names() {
  std::vector<std::string> names;
  for (const Size& size : kSizes) {
    for (const int64_t patch : kPatches) names.push_back(fmt::format("{}/{}", size.name, patch));
  }
  return names;
}

SitConfig sit_preset(const std::string& name) {
  for (const Size& size : kSizes) {
    for (const int64_t patch : kPatches) {
      if (name != fmt::format("{}/{}", size.name, patch)) continue;
      SitConfig config;
      config.patch_size = patch;
      config.depth = size.depth;
      config.hidden_size = size.width;
      config.num_heads = size.heads;
      return config;
    }
  }
  throw Error(ErrorKind::usage, fmt::format("unknown model size '{}'", name),
              suggestion(name, sit_preset_names()));
}

std::optional<int64_t> sit_heads_of_width(int64_t width) {
  for (const Size& size : kSizes) {
    if (size.width == width) return size.heads;
  }
  return std::nullopt;
}

std::string to_json(const SitConfig& config) {
  return architecture_of("sit", config);
}

SitConfig sit_config_from_json(const std::string& text) {
  return config_from_json<SitConfig>("a SiT", text);
}

}  // namespace eqm
