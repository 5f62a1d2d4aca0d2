// SiT: a vision transformer whose blocks are modulated by a condition (adaLN-Zero). Parameter names
// are those of the reference implementation, so that its weights load by name. Letters: B batch, T
// tokens, D width, C channels, p patch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "eqm/backbone/backbone.h"
#include "eqm/kernel/packed_weight.h"

namespace eqm {

inline constexpr int64_t kSitTimeFeatures = 256;

struct SitConfig {
  int64_t input_size = 32;  // height and width of the state
  int64_t patch_size = 2;
  int64_t in_channels = 4;
  int64_t hidden_size = 384;
  int64_t depth = 12;
  int64_t num_heads = 6;
  double mlp_ratio = 4.0;
  double class_dropout_prob = 0.1;  // above 0 the label table has a row for the null class
  int64_t num_classes = 1000;
  bool learn_sigma =
      false;  // the network emits 2C channels and drops the second half (imported weights)
};

// Throws a usage error that names the first rule the configuration breaks.
void check(const SitConfig& config);

// Presets by name: XS, S, B, L, XL at patches 1, 2, 4, 8, e.g. "S/2". State shape and classes are
// the caller's.
SitConfig sit_preset(const std::string& name);
std::vector<std::string> sit_preset_names();

// The heads of the presets of this width; nothing when there is none.
std::optional<int64_t> sit_heads_of_width(int64_t width);

std::string to_json(const SitConfig& config);
SitConfig sit_config_from_json(const std::string& json);

// How many numbers the parameters of a checked configuration hold, without building them.
double weight_count(const SitConfig& config);

class SitBlock;

class Sit final : public Backbone {
 public:
  explicit Sit(const SitConfig& config);

  Conditioning conditioning(const Condition& condition, int64_t batch) override {
    return modulation(embed_condition(condition, batch));
  }
  Prediction forward_with(const Tensor& x, const Conditioning& modulation) override;

  // The stages of forward, each a pure function of its inputs.
  Tensor embed_time(const Tensor& time);                              // [B] -> [B, D]
  Tensor embed_condition(const Condition& condition, int64_t batch);  // -> [B, D]
  std::vector<Tensor> modulation(const Tensor& c);  // depth x [B, 6D], then [B, 2D]
  Tensor embed_patches(const Tensor& x);            // -> [B, T, D]
  Tensor run_block(size_t i, const Tensor& h, const Tensor& modulation);  // [B, T, D] -> [B, T, D]
  Tensor finish(const Tensor& h, const Tensor& modulation);  // [B, T, D] -> [B, C, H, W]

  Shape state_shape() const override;
  int64_t num_classes() const override { return config_.num_classes; }
  int64_t null_label() const override;
  double activation_floats_per_row() const override;
  std::string architecture() const override;
  void initialise(uint64_t seed) override;

  const SitConfig& config() const { return config_; }

 private:
  SitConfig config_;
  torch::nn::Conv2d patch_projection_{nullptr};
  torch::nn::Linear time_in_{nullptr}, time_out_{nullptr};
  torch::nn::Embedding label_table_{nullptr};
  Tensor pos_embed_;  // [1, T, D], fixed
  std::vector<std::shared_ptr<SitBlock>> blocks_;
  torch::nn::Linear final_linear_{nullptr}, final_modulation_{nullptr};
  kernel::PackedWeight packed_final_;
};

}  // namespace eqm
