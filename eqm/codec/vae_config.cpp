#include "eqm/codec/vae_config.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr const char* kVaeHint =
    "the file is called diffusion_pytorch_model.safetensors in the folder of a Stable Diffusion "
    "autoencoder, such as sd-vae-ft-ema or sd-vae-ft-mse";

class VaeShapes {
 public:
  explicit VaeShapes(const VaeConfig& config) : config_(config) {}

  std::map<std::string, Shape> list() {
    const int64_t latent = config_.latent_channels;
    const int64_t first = config_.channels.front(), deepest = config_.channels.back();
    conv("encoder.conv_in", first, config_.image_channels, 3);
    int64_t from = first;
    const size_t levels = config_.channels.size();
    for (size_t i = 0; i < levels; ++i) {
      const std::string block = fmt::format("encoder.down_blocks.{}", i);
      const int64_t to = config_.channels[i];
      for (int64_t j = 0; j < config_.layers; ++j, from = to) resnet(block, j, to, from);
      if (i + 1 < levels) conv(block + ".downsamplers.0.conv", to, to, 3);
    }
    middle("encoder", deepest);
    norm("encoder.conv_norm_out", deepest);
    conv("encoder.conv_out", 2 * latent, deepest, 3);
    conv("quant_conv", 2 * latent, 2 * latent, 1);

    conv("post_quant_conv", latent, latent, 1);
    conv("decoder.conv_in", deepest, latent, 3);
    middle("decoder", deepest);
    from = deepest;
    for (size_t i = 0; i < levels; ++i) {
      const std::string block = fmt::format("decoder.up_blocks.{}", i);
      const int64_t to = config_.channels[levels - 1 - i];
      for (int64_t j = 0; j <= config_.layers; ++j, from = to) resnet(block, j, to, from);
      if (i + 1 < levels) conv(block + ".upsamplers.0.conv", to, to, 3);
    }
    norm("decoder.conv_norm_out", first);
    conv("decoder.conv_out", config_.image_channels, first, 3);
    return std::move(shapes_);
  }

 private:
  void add(const std::string& name, Shape weight, int64_t outputs) {
    shapes_[name + ".weight"] = std::move(weight);
    shapes_[name + ".bias"] = {outputs};
  }
  void conv(const std::string& name, int64_t to, int64_t from, int64_t side) {
    add(name, {to, from, side, side}, to);
  }
  void norm(const std::string& name, int64_t channels) { add(name, {channels}, channels); }
  void resnet(const std::string& block, int64_t number, int64_t to, int64_t from) {
    const std::string name = fmt::format("{}.resnets.{}", block, number);
    norm(name + ".norm1", from);
    conv(name + ".conv1", to, from, 3);
    norm(name + ".norm2", to);
    conv(name + ".conv2", to, to, 3);
    if (to != from) conv(name + ".conv_shortcut", to, from, 1);
  }
  void middle(const std::string& part, int64_t channels) {
    const std::string block = part + ".mid_block", attention = block + ".attentions.0";
    resnet(block, 0, channels, channels);
    norm(attention + ".group_norm", channels);
    for (const char* map : {".to_q", ".to_k", ".to_v", ".to_out.0"}) {
      add(attention + map, {channels, channels}, channels);
    }
    resnet(block, 1, channels, channels);
  }

  const VaeConfig& config_;
  std::map<std::string, Shape> shapes_;
};

[[noreturn]] void refuse_vae(const std::string& why) {
  throw Error(ErrorKind::input, "this is no autoencoder of Stable Diffusion: " + why, kVaeHint);
}

// The size of one axis of a weight.
int64_t size_in(const std::map<std::string, Shape>& shapes, const std::string& name, size_t axis) {
  constexpr int64_t kMostChannels = 65536;
  const auto found = shapes.find(name);
  if (found == shapes.end()) refuse_vae(fmt::format("it has no {}", in_quotes(name)));
  if (found->second.size() <= axis || found->second[axis] < 1 ||
      found->second[axis] > kMostChannels) {
    refuse_vae(fmt::format("{} has an impossible shape", in_quotes(name)));
  }
  return found->second[axis];
}

}  // namespace

Shape latent_shape(const VaeConfig& config, const Shape& picture) {
  const int64_t factor = config.factor();
  const auto fits = [&](int64_t side) { return side >= factor && side % factor == 0; };
  if (picture.size() != 3 || picture[0] != config.image_channels || !fits(picture[1]) ||
      !fits(picture[2])) {
    throw Error(ErrorKind::usage,
                fmt::format("the autoencoder takes pictures of {} channels whose sides divide by "
                            "{}, and these are [{}]",
                            config.image_channels, factor, fmt::join(picture, ", ")),
                "bring them to that with {size}");
  }
  return {config.latent_channels, picture[1] / factor, picture[2] / factor};
}

void require_latents(const VaeConfig& config, const Shape& state) {
  if (state.size() == 3 && state[0] == config.latent_channels) return;
  throw Error(ErrorKind::usage,
              fmt::format("the autoencoder decodes latents of {} channels, and the states are [{}]",
                          config.latent_channels, fmt::join(state, ", ")),
              "leave out {vae} where states are pictures themselves");
}

std::map<std::string, Shape> vae_shapes(const VaeConfig& config) {
  return VaeShapes(config).list();
}

std::string current_vae_name(std::string name) {
  constexpr std::pair<const char*, const char*> kRenamed[] = {{".query.", ".to_q."},
                                                              {".key.", ".to_k."},
                                                              {".value.", ".to_v."},
                                                              {".proj_attn.", ".to_out.0."}};
  if (name.find(".mid_block.attentions.") == std::string::npos) return name;
  for (const auto& [old, current] : kRenamed) {
    const size_t place = name.find(old);
    if (place != std::string::npos) {
      return name.replace(place, std::string(old).size(), current);
    }
  }
  return name;
}

VaeConfig vae_config_from(const std::map<std::string, Shape>& shapes, int64_t groups) {
  constexpr size_t kMostLevels = 8;
  VaeConfig config;
  config.groups = groups;
  config.image_channels = size_in(shapes, "encoder.conv_in.weight", 1);
  config.latent_channels = size_in(shapes, "post_quant_conv.weight", 0);
  config.channels.clear();
  const auto block = [](size_t level, int64_t layer) {
    return fmt::format("encoder.down_blocks.{}.resnets.{}.conv1.weight", level, layer);
  };
  while (config.channels.size() < kMostLevels &&
         shapes.contains(block(config.channels.size(), 0))) {
    config.channels.push_back(size_in(shapes, block(config.channels.size(), 0), 0));
  }
  if (config.channels.empty()) refuse_vae("its encoder has no levels");
  config.layers = 0;
  while (shapes.contains(block(0, config.layers))) ++config.layers;

  const std::map<std::string, Shape> wanted = vae_shapes(config);
  for (const auto& [name, shape] : wanted) {
    const auto found = shapes.find(name);
    if (found == shapes.end()) refuse_vae(fmt::format("it has no {}", in_quotes(name)));
    if (found->second != shape) {
      refuse_vae(fmt::format("{} has another shape than its place asks for", in_quotes(name)));
    }
  }
  for (const auto& entry : shapes) {
    if (!wanted.contains(entry.first)) {
      refuse_vae(fmt::format("nothing is known of its {}", in_quotes(entry.first)));
    }
  }
  for (const int64_t channels : config.channels) {
    if (groups < 1 || channels % groups != 0) {
      refuse_vae(fmt::format("its {} channels cannot be divided into {} groups", channels, groups));
    }
  }
  return config;
}

}  // namespace eqm
