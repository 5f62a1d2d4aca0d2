#include "eqm/backbone/convnet.h"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/initialise.h"
#include "eqm/base/error.h"

namespace eqm {
namespace {

// The convolutions, in multiples of the width; 3x3 all of them.
struct Layer {
  int64_t from, to;  // 0: the image's channels
  int64_t stride;
};
constexpr std::array<Layer, 5> kLayers = {{{0, 1, 1}, {1, 1, 2}, {1, 2, 1}, {2, 2, 2}, {2, 2, 1}}};

int64_t channels_into(const Layer& layer, const ConvNetConfig& config) {
  return layer.from == 0 ? config.in_channels : layer.from * config.width;
}

int64_t halved(int64_t size) {
  return (size + 1) / 2;
}

int64_t flattened(const ConvNetConfig& config) {
  const int64_t side = halved(halved(config.input_size));
  return kLayers.back().to * config.width * side * side;
}

}  // namespace

void check(const ConvNetConfig& config) {
  const bool fits = config.in_channels >= 1 && config.in_channels <= 1024 &&
                    config.input_size >= 4 && config.input_size <= 1024 && config.width >= 1 &&
                    config.width <= 4096 && config.features >= 1 && config.features <= 65536 &&
                    config.num_classes >= 2 && config.num_classes <= 1'000'000;
  if (!fits) {
    throw Error(ErrorKind::usage, "this classifier cannot be built: a size is out of range",
                "it takes images of 4x4 up to 1024x1024 and two classes or more");
  }
}

double weight_count(const ConvNetConfig& config) {
  double count = 0;
  for (const Layer& layer : kLayers) {
    const auto to = static_cast<double>(layer.to * config.width);
    count += (static_cast<double>(channels_into(layer, config)) * 9 + 1) * to;
  }
  const auto features = static_cast<double>(config.features);
  return count + (static_cast<double>(flattened(config)) + 1) * features +
         (features + 1) * static_cast<double>(config.num_classes);
}

double activation_count(const ConvNetConfig& config) {
  double count = static_cast<double>(config.features);
  int64_t side = config.input_size;
  for (const Layer& layer : kLayers) {
    if (layer.stride == 2) side = halved(side);
    count += 2 * static_cast<double>(layer.to * config.width) * static_cast<double>(side * side);
  }
  return count;
}

ConvNet::ConvNet(const ConvNetConfig& config) : config_(config) {
  check(config);
  for (size_t i = 0; i < kLayers.size(); ++i) {
    const Layer& layer = kLayers[i];
    layers_.push_back(register_module(
        fmt::format("conv{}", i),
        torch::nn::Conv2d(torch::nn::Conv2dOptions(channels_into(layer, config),
                                                   layer.to * config.width, /*kernel_size=*/3)
                              .stride(layer.stride)
                              .padding(1))));
  }
  features_ = register_module("features", torch::nn::Linear(flattened(config), config.features));
  logits_ = register_module("logits", torch::nn::Linear(config.features, config.num_classes));
  initialise(0);
}

void ConvNet::initialise(uint64_t seed) {
  const torch::NoGradGuard guard;
  for (const Tensor& parameter : parameters()) parameter.zero_();
  Initialiser fill(seed);
  // Rectified layers lose half of the variance: twice 1/inputs keeps it.
  const auto rectified = [&](const Tensor& weight) {
    const auto inputs = static_cast<double>(weight.numel() / weight.size(0));
    fill.normal(weight, std::sqrt(2 / inputs));
  };
  for (const auto& layer : layers_) rectified(layer->weight);
  rectified(features_->weight);
  fill.normal(logits_->weight, 1 / std::sqrt(static_cast<double>(config_.features)));
}

Prediction ConvNet::forward_with(const Tensor& x, const Conditioning&) {
  if (x.dim() != 4 || x.sizes().slice(1) != at::IntArrayRef(state_shape())) {
    throw Error(ErrorKind::usage,
                fmt::format("the classifier takes images of {}x{}x{}", config_.in_channels,
                            config_.input_size, config_.input_size),
                "scale the pictures to that size and convert their channels before");
  }
  Tensor h = x;
  for (auto& layer : layers_) h = layer->forward(h).relu();
  const Tensor features = features_->forward(h.flatten(1)).relu();
  return {.output = logits_->forward(features), .features = features};
}

Shape ConvNet::state_shape() const {
  return {config_.in_channels, config_.input_size, config_.input_size};
}

double ConvNet::activation_floats_per_row() const {
  // Two neighbouring layers at full size.
  return 2 * static_cast<double>(config_.width) *
         static_cast<double>(config_.input_size * config_.input_size);
}

std::string ConvNet::architecture() const {
  return nlohmann::json{{"kind", "convnet"},
                        {"in_channels", config_.in_channels},
                        {"input_size", config_.input_size},
                        {"width", config_.width},
                        {"features", config_.features},
                        {"num_classes", config_.num_classes}}
      .dump();
}

ConvNetConfig convnet_config_from_json(const std::string& text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    ConvNetConfig config;
    json.at("in_channels").get_to(config.in_channels);
    json.at("input_size").get_to(config.input_size);
    json.at("width").get_to(config.width);
    json.at("features").get_to(config.features);
    json.at("num_classes").get_to(config.num_classes);
    return config;
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ErrorKind::input,
        fmt::format("a classifier's architecture is incomplete or malformed ({})", error.what()),
        "was the file written by eqm?");
  }
}

}  // namespace eqm
