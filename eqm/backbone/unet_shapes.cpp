#include "eqm/backbone/unet_shapes.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "eqm/backbone/unet_layout.h"
#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr const char* kUnet = "a U-Net";
constexpr const char* kFirst = "input_blocks.0.0.weight";
constexpr int64_t kMostBlocks = 1024;

// How many blocks the way down has: one more than the largest number among the names.
int64_t blocks_down(const WeightShapes& shapes) {
  const std::string prefix = "input_blocks.";
  int64_t blocks = 0;
  for (auto at = shapes.lower_bound(prefix); at != shapes.end(); ++at) {
    const std::string& name = at->first;
    if (!name.starts_with(prefix)) break;
    int64_t number = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (number >= kMostBlocks) refuse_weights(kUnet, "it has more blocks than anyone built");
    blocks = std::max(blocks, number + 1);
  }
  return blocks;
}

// How sizes change leaves names only where it has weights; the guesses are compared as a whole.
enum class Resampling { plain, convolution, residual };

struct Guess {
  int64_t levels = 1;
  Resampling resampling = Resampling::plain;
};

// What all guesses share.
struct Sure {
  int64_t blocks = 0;    // of the way down
  int64_t embedded = 0;  // width of the condition; 0 without one
  UnetConfig config = {};
};

Sure sure_of(const WeightShapes& shapes, const ShapeHints& hints) {
  Sure sure = {.blocks = blocks_down(shapes)};
  sure.config.in_channels = shape_of(kUnet, shapes, kFirst, 4)[1];
  sure.config.out_channels = shape_of(kUnet, shapes, "out.2.weight", 4)[0];
  sure.config.ignore_time = !shapes.contains("time_embed.0.weight");
  if (!sure.config.ignore_time) {
    sure.embedded = shape_of(kUnet, shapes, "time_embed.0.weight", 2)[0];
  }
  if (shapes.contains("label_emb.weight")) {
    const Shape& table = shape_of(kUnet, shapes, "label_emb.weight", 2);
    sure.config.num_classes = table[0] - 1;
    sure.embedded = table[1];
    if (hints.classes > 0 && hints.classes != sure.config.num_classes) {
      throw Error(ErrorKind::input,
                  fmt::format("the label table has {} rows, which does not fit {} classes",
                              table[0], hints.classes),
                  "it has a row per class and one for the null class");
    }
  }
  if (hints.size > 0) sure.config.input_size = hints.size;
  return sure;
}

// The configuration of a guess, as far as the names go along with it.
std::optional<UnetConfig> config_of(const WeightShapes& shapes, const Sure& sure,
                                    const Guess& guess) {
  if (sure.blocks % guess.levels != 0) return std::nullopt;
  const int64_t step = sure.blocks / guess.levels;  // a level's blocks and what changes its size
  UnetConfig config = sure.config;
  config.num_res_blocks = step - 1;
  config.conv_resample = guess.resampling == Resampling::convolution;
  config.resblock_updown = guess.resampling == Resampling::residual;
  config.channel_mult.clear();
  config.attention_resolutions.clear();
  int64_t common = 0;
  for (int64_t level = 0; level < guess.levels; ++level) {
    const std::string block = fmt::format("input_blocks.{}.", level * step + 1);
    const auto found = shapes.find(block + "0.out_layers.0.weight");
    if (found == shapes.end() || found->second.size() != 1) return std::nullopt;
    const int64_t channels = found->second[0];
    if (channels < 1 || channels > (1 << 20)) return std::nullopt;
    common = std::gcd(common, channels);
    config.channel_mult.push_back(channels);
    if (shapes.contains(block + "1.qkv.weight")) {
      config.attention_resolutions.push_back(int64_t{1} << level);
    }
  }
  // Without a condition model_channels is no more than the unit of the widths.
  config.model_channels = sure.embedded > 0 ? sure.embedded / 4 : common;
  if (config.model_channels < 1) return std::nullopt;
  for (int64_t& mult : config.channel_mult) {
    if (mult % config.model_channels != 0) return std::nullopt;
    mult /= config.model_channels;
  }
  return config;
}

// What check() has against a configuration; empty for nothing.
std::string broken_rule(const UnetConfig& config) {
  try {
    check(config);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

void give_heads(UnetConfig& config, const ShapeHints& hints) {
  if (hints.head_channels > 0) {
    config.num_head_channels = hints.head_channels;
    return;
  }
  config.num_heads = hints.heads;
  if (hints.heads > 0) return;
  for (const std::string& name : unet_preset_names()) {
    const UnetConfig preset = unet_preset(name);
    if (preset.model_channels != config.model_channels ||
        preset.channel_mult != config.channel_mult ||
        preset.attention_resolutions != config.attention_resolutions) {
      continue;
    }
    config.num_heads = preset.num_heads;
    return;
  }
  throw Error(ErrorKind::usage, "this U-Net is no preset, so its number of heads is unknown",
              "give it by {heads}, or the channels of each by {head-channels}");
}

}  // namespace

bool looks_like_unet(const WeightShapes& shapes) {
  return shapes.contains(kFirst);
}

UnetConfig unet_config_from_shapes(const WeightShapes& shapes, const ShapeHints& hints) {
  const Sure sure = sure_of(shapes, hints);
  std::string problem = "its blocks make no levels of equal length";
  size_t most_names = 0;  // the problem reported is that of the guess which fits best
  for (int64_t levels = 10; levels >= 1; --levels) {
    for (const Resampling resampling :
         {Resampling::plain, Resampling::convolution, Resampling::residual}) {
      std::optional<UnetConfig> config =
          config_of(shapes, sure, {.levels = levels, .resampling = resampling});
      if (!config) continue;
      // Neither heads nor size change a shape: any that pass the rules will do to compare.
      const int64_t size = std::exchange(config->input_size, int64_t{1} << (levels - 1));
      std::string misfit = broken_rule(*config);
      size_t names = 1;
      if (misfit.empty()) {
        const ShapesInOrder needed = unet_weight_shapes(*config);
        misfit = first_misfit(shapes, needed);
        names = names_in_common(shapes, needed);
      }
      if (misfit.empty()) {
        give_heads(*config, hints);
        config->input_size = size;
        const std::string rule = broken_rule(*config);
        if (rule.empty()) return *config;
        throw Error(ErrorKind::usage, rule,
                    "the weights are whole; give other {heads}, {head-channels} or {size}");
      }
      if (names > most_names) problem = misfit;
      most_names = std::max(most_names, names);
    }
  }
  refuse_weights(kUnet, problem);
}

}  // namespace eqm
