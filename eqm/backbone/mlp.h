// A small multi-layer perceptron for vectors: the backbone of two-dimensional landscapes. SiLU
// layers on the point itself or on random Fourier features of it; smooth, so that energies
// differentiate twice.
#pragma once

#include <string>
#include <vector>

#include "eqm/backbone/backbone.h"
#include "eqm/backbone/layers.h"

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

  bool operator==(const MlpConfig&) const = default;

  template <class Config, class Visit>
  static void visit(Config& config, const Visit& field) {
    field("dimension", config.dimension);
    field("width", config.width);
    field("depth", config.depth);
    field("fourier", config.fourier);
    field("fourier_scale", config.fourier_scale);
    field("input_scale", config.input_scale);
    field("num_classes", config.num_classes);
    field("time_input", config.time_input);
  }
};

void check(const MlpConfig& config);
std::string to_json(const MlpConfig& config);
MlpConfig mlp_config_from_json(const std::string& json);

// How many numbers the parameters of a checked configuration hold, without building them.
double weight_count(const MlpConfig& config);

// How many numbers a row of a batch leaves for the backward pass.
double activation_count(const MlpConfig& config);

class Mlp final : public Backbone {
 public:
  // The parameters are not initialised.
  explicit Mlp(const MlpConfig& config);

  // Label rows [B, width] and time [B, 1]; undefined where the network has none.
  Conditioning conditioning(const Condition& condition, int64_t batch) const override;
  Prediction forward_with(const Tensor& x, const Conditioning& conditioning) const override;

  Shape state_shape() const override { return {config_.dimension}; }
  int64_t num_classes() const override { return config_.num_classes; }
  int64_t null_label() const override { return config_.num_classes; }
  double activation_floats_per_row() const override;
  std::string architecture() const override { return to_json(config_); }
  void initialise(uint64_t seed) override;

  const MlpConfig& config() const { return config_; }

 private:
  Tensor features(const Tensor& x, const Tensor& time) const;  // [B, dimension] -> [B, inputs]

  MlpConfig config_;
  Tensor frequencies_;  // [dimension, fourier], fixed
  LayerPtr label_table_;
  std::vector<LayerPtr> layers_;
  LayerPtr out_;
};

}  // namespace eqm
