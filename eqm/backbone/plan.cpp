#include "eqm/backbone/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr const char* kSquareOrMlp =
    "give {size} to crop and scale images, or {model} mlp for vectors";

void demand_square_images(const char* network, const Shape& shape, const char* hint) {
  if (shape.size() == 3 && shape[1] == shape[2]) return;
  throw Error(ErrorKind::input,
              fmt::format("{} learns square images, not states of shape [{}]", network,
                          fmt::join(shape, ", ")),
              hint);
}

void replace(int64_t& value, int64_t asked) {
  if (asked > 0) value = asked;
}

}  // namespace

SitConfig sit_config_for(const BackboneWish& wish) {
  demand_square_images("a SiT", wish.state, kSquareOrMlp);
  SitConfig config = sit_preset(wish.preset);
  replace(config.hidden_size, wish.width);
  replace(config.depth, wish.depth);
  replace(config.num_heads, wish.heads);
  replace(config.patch_size, wish.patch);
  config.in_channels = wish.state[0];
  config.input_size = wish.state[1];
  config.num_classes = wish.classes;
  config.class_dropout_prob = wish.classes > 0 ? wish.label_dropout : 1;
  if (config.input_size % config.patch_size != 0) {
    throw Error(
        ErrorKind::usage,
        fmt::format("images of {0}x{0} cannot be cut into patches of {1}x{1}", config.input_size,
                    config.patch_size),
        fmt::format("choose another patch ({{model}} {}/{}, or {{patch}}), or give {{size}}",
                    wish.preset.substr(0, wish.preset.find('/')),
                    config.input_size % 2 == 0 ? 2 : 1));
  }
  return config;
}

UnetConfig unet_config_for(const BackboneWish& wish) {
  demand_square_images("a U-Net", wish.state, kSquareOrMlp);
  UnetConfig config = unet_preset(wish.preset);
  replace(config.model_channels, wish.width);
  replace(config.num_res_blocks, wish.depth);
  replace(config.num_heads, wish.heads);
  config.in_channels = config.out_channels = wish.state[0];
  config.input_size = wish.state[1];
  config.num_classes = wish.classes;
  config.ignore_time = !wish.time_input;
  config.dropout = wish.dropout;
  const int64_t times = static_cast<int64_t>(config.channel_mult.size()) - 1;
  const int64_t unit = int64_t{1} << times;
  if (config.input_size % unit != 0) {
    throw Error(
        ErrorKind::usage,
        fmt::format("images of {0}x{0} cannot be halved {1} times", config.input_size, times),
        fmt::format("give {{size}} {}", (config.input_size / unit + 1) * unit));
  }
  return config;
}

MlpConfig mlp_config_for(const BackboneWish& wish) {
  if (wish.state.size() != 1) {
    throw Error(
        ErrorKind::input,
        fmt::format("an MLP learns vectors, not states of shape [{}]", fmt::join(wish.state, ", ")),
        "choose a SiT or U-Net for images, such as {model} XS/4");
  }
  MlpConfig config = {.dimension = wish.state[0]};
  replace(config.width, wish.width);
  replace(config.depth, wish.depth);
  config.num_classes = wish.classes;
  config.time_input = wish.sees_time;
  return config;
}

ConvNetConfig convnet_config_for(const BackboneWish& wish) {
  demand_square_images("a classifier", wish.state, "give {size} to crop and scale images");
  ConvNetConfig config = {.in_channels = wish.state[0], .input_size = wish.state[1]};
  config.num_classes = wish.classes;
  if (config.num_classes < 2) {
    throw Error(ErrorKind::input, "a classifier needs data of two classes or more",
                "sort the images into one folder per class");
  }
  replace(config.width, wish.width);
  return config;
}

}  // namespace eqm
