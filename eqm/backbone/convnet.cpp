#include "eqm/backbone/convnet.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "eqm/backbone/fields.h"
#include "eqm/backbone/initialise.h"
#include "eqm/base/error.h"

namespace eqm {
namespace {

// The convolutions, in multiples of the width; 3x3 all of them.
struct ConvPlace {
  int64_t from, to;  // 0: the image's channels
  int64_t stride;
};
constexpr std::array<ConvPlace, 5> kLayers = {
    {{0, 1, 1}, {1, 1, 2}, {1, 2, 1}, {2, 2, 2}, {2, 2, 1}}};

int64_t channels_into(const ConvPlace& layer, const ConvNetConfig& config) {
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
  for (const ConvPlace& layer : kLayers) {
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
  for (const ConvPlace& layer : kLayers) {
    if (layer.stride == 2) side = halved(side);
    count += 2 * static_cast<double>(layer.to * config.width) * static_cast<double>(side * side);
  }
  return count;
}

ConvNet::ConvNet(const ConvNetConfig& config) : config_(config) {
  check(config);
  for (size_t i = 0; i < kLayers.size(); ++i) {
    const ConvPlace& layer = kLayers[i];
    layers_.push_back(add_layer(*this, fmt::format("conv{}", i),
                                {layer.to * config.width, channels_into(layer, config), 3, 3}));
  }
  features_ = add_layer(*this, "features", {config.features, flattened(config)});
  logits_ = add_layer(*this, "logits", {config.num_classes, config.features});
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

Prediction ConvNet::forward_with(const Tensor& x, const Conditioning&) const {
  if (x.dim() != 4 || x.sizes().slice(1) != at::IntArrayRef(state_shape())) {
    throw Error(ErrorKind::usage,
                fmt::format("the classifier takes images of {}x{}x{}", config_.in_channels,
                            config_.input_size, config_.input_size),
                "scale the pictures to that size and convert their channels before");
  }
  Tensor h = x;
  for (size_t i = 0; i < layers_.size(); ++i) {
    h = convolve(*layers_[i], h, kLayers[i].stride).relu();
  }
  const Tensor features = torch::linear(h.flatten(1), features_->weight, features_->bias).relu();
  return {.output = torch::linear(features, logits_->weight, logits_->bias), .features = features};
}

Shape ConvNet::state_shape() const {
  return {config_.in_channels, config_.input_size, config_.input_size};
}

double ConvNet::activation_floats_per_row() const {
  // Two neighbouring layers at full size.
  return 2 * static_cast<double>(config_.width) *
         static_cast<double>(config_.input_size * config_.input_size);
}

std::string to_json(const ConvNetConfig& config) {
  return architecture_of("convnet", config);
}

ConvNetConfig convnet_config_from_json(const std::string& text) {
  return config_from_json<ConvNetConfig>("a classifier", text);
}

}  // namespace eqm
