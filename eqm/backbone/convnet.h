// A small convolutional classifier of square images. Its penultimate features are what small data
// sets are compared by.
#pragma once

#include <string>
#include <vector>

#include "eqm/backbone/backbone.h"
#include "eqm/backbone/layers.h"

namespace eqm {

struct ConvNetConfig {
  int64_t in_channels = 1;
  int64_t input_size = 28;
  int64_t width = 32;      // channels at full size; twice as many after the first halving
  int64_t features = 128;  // of the penultimate layer
  int64_t num_classes = 10;

  bool operator==(const ConvNetConfig&) const = default;

  template <class Config, class Visit>
  static void visit(Config& config, const Visit& field) {
    field("in_channels", config.in_channels);
    field("input_size", config.input_size);
    field("width", config.width);
    field("features", config.features);
    field("num_classes", config.num_classes);
  }
};

void check(const ConvNetConfig& config);
std::string to_json(const ConvNetConfig& config);
ConvNetConfig convnet_config_from_json(const std::string& json);

// How many numbers the parameters of a checked configuration hold, without building them.
double weight_count(const ConvNetConfig& config);

// How many numbers a row of a batch leaves for the backward pass.
double activation_count(const ConvNetConfig& config);

// The output is [B, num_classes] logits, the features are [B, features].
class ConvNet final : public Backbone {
 public:
  // The parameters are not initialised.
  explicit ConvNet(const ConvNetConfig& config);

  Conditioning conditioning(const Condition&, int64_t) const override { return {}; }
  Prediction forward_with(const Tensor& x, const Conditioning& conditioning) const override;

  Shape state_shape() const override;
  int64_t num_classes() const override { return config_.num_classes; }
  int64_t null_label() const override { return -1; }
  double activation_floats_per_row() const override;
  std::string architecture() const override { return to_json(config_); }
  void initialise(uint64_t seed) override;

  const ConvNetConfig& config() const { return config_; }

 private:
  ConvNetConfig config_;
  std::vector<LayerPtr> layers_;
  LayerPtr features_, logits_;
};

}  // namespace eqm
