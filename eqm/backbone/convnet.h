// A small convolutional classifier of square images. Its penultimate features are what small data
// sets are judged by.
#pragma once

#include <string>
#include <vector>

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "eqm/backbone/backbone.h"

namespace eqm {

struct ConvNetConfig {
  int64_t in_channels = 1;
  int64_t input_size = 28;
  int64_t width = 32;      // channels at full size; twice as many after the first halving
  int64_t features = 128;  // of the penultimate layer
  int64_t num_classes = 10;
};

void check(const ConvNetConfig& config);
ConvNetConfig convnet_config_from_json(const std::string& json);

// How many numbers the parameters of a checked configuration hold, without building them.
double weight_count(const ConvNetConfig& config);

// How many numbers a row of a batch leaves for the backward pass.
double activation_count(const ConvNetConfig& config);

// The output is [B, num_classes] logits, the features are [B, features].
class ConvNet final : public Backbone {
 public:
  explicit ConvNet(const ConvNetConfig& config);

  Conditioning conditioning(const Condition&, int64_t) override { return {}; }
  Prediction forward_with(const Tensor& x, const Conditioning& conditioning) override;

  Shape state_shape() const override;
  int64_t num_classes() const override { return config_.num_classes; }
  int64_t null_label() const override { return -1; }
  double activation_floats_per_row() const override;
  std::string architecture() const override;
  void initialise(uint64_t seed) override;

  const ConvNetConfig& config() const { return config_; }

 private:
  ConvNetConfig config_;
  std::vector<torch::nn::Conv2d> layers_;
  torch::nn::Linear features_{nullptr};
  torch::nn::Linear logits_{nullptr};
};

}  // namespace eqm
