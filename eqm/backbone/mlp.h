// A small multi-layer perceptron for vectors: the backbone of two-dimensional landscapes. SiLU
// layers on the point itself or on random Fourier features of it; smooth, so that energies
// differentiate twice.
#pragma once

#include <string>
#include <vector>

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "eqm/backbone/backbone.h"

namespace eqm {

struct MlpConfig {
  int64_t dimension = 2;
  int64_t width = 128;
  int64_t depth = 3;           // hidden layers
  int64_t fourier = 0;         // random frequencies beside the plain coordinates; 0: none
  double fourier_scale = 1.0;  // their standard deviation
  double input_scale = 1.0;    // coordinates are divided by it, so that they are of order one
  int64_t num_classes = 0;     // labels beside the null class, which is always there
  bool time_input = false;     // time as one more coordinate (Flow Matching)
};

void check(const MlpConfig& config);
MlpConfig mlp_config_from_json(const std::string& json);

// How many numbers the parameters of a checked configuration hold, without building them.
double weight_count(const MlpConfig& config);

class Mlp final : public Backbone {
 public:
  explicit Mlp(const MlpConfig& config);

  // Label rows [B, width] and time [B, 1]; undefined where the network has none.
  Conditioning conditioning(const Condition& condition, int64_t batch) override;
  Prediction forward_with(const Tensor& x, const Conditioning& conditioning) override;

  Shape state_shape() const override { return {config_.dimension}; }
  int64_t num_classes() const override { return config_.num_classes; }
  int64_t null_label() const override { return config_.num_classes; }
  double activation_floats_per_row() const override;
  std::string architecture() const override;
  void initialise(uint64_t seed) override;

  const MlpConfig& config() const { return config_; }

 private:
  Tensor features(const Tensor& x, const Tensor& time) const;  // [B, dimension] -> [B, inputs]

  MlpConfig config_;
  Tensor frequencies_;  // [dimension, fourier], fixed
  torch::nn::Embedding label_table_{nullptr};
  std::vector<torch::nn::Linear> layers_;
  torch::nn::Linear out_{nullptr};
};

}  // namespace eqm
