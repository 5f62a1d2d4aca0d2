// SiT: a vision transformer whose blocks are modulated by a condition (adaLN-Zero). Parameter names
// are those of the reference implementation, so that its weights load by name. Letters: B batch, T
// tokens, D width, C channels, p patch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eqm/backbone/backbone.h"
#include "eqm/backbone/layers.h"

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

  int64_t tokens() const { return (input_size / patch_size) * (input_size / patch_size); }
  int64_t label_rows() const { return num_classes + (class_dropout_prob > 0 ? 1 : 0); }
  int64_t out_channels() const { return in_channels * (learn_sigma ? 2 : 1); }

  bool operator==(const SitConfig&) const = default;

  template <class Config, class Visit>
  static void visit(Config& config, const Visit& field) {
    field("input_size", config.input_size);
    field("patch_size", config.patch_size);
    field("in_channels", config.in_channels);
    field("hidden_size", config.hidden_size);
    field("depth", config.depth);
    field("num_heads", config.num_heads);
    field("mlp_ratio", config.mlp_ratio);
    field("class_dropout_prob", config.class_dropout_prob);
    field("num_classes", config.num_classes);
    field("learn_sigma", config.learn_sigma);
  }
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

// How many numbers a row of a batch leaves for the backward pass.
double activation_count(const SitConfig& config);

class Sit final : public Backbone {
 public:
  // The parameters are not initialised.
  explicit Sit(const SitConfig& config);

  Conditioning conditioning(const Condition& condition, int64_t batch) const override {
    return modulation(embed_condition(condition, batch));
  }
  Prediction forward_with(const Tensor& x, const Conditioning& modulation) const override;

  // The stages of forward, each a pure function of its inputs.
  Tensor embed_time(const Tensor& time) const;                              // [B] -> [B, D]
  Tensor embed_condition(const Condition& condition, int64_t batch) const;  // -> [B, D]
  std::vector<Tensor> modulation(const Tensor& c) const;  // depth x [B, 6D], then [B, 2D]
  Tensor embed_patches(const Tensor& x) const;            // -> [B, T, D]
  // [B, T, D] -> [B, T, D]
  Tensor run_block(size_t i, const Tensor& h, const Tensor& modulation) const;
  Tensor finish(const Tensor& h, const Tensor& modulation) const;  // [B, T, D] -> [B, C, H, W]

  Shape state_shape() const override;
  int64_t num_classes() const override { return config_.num_classes; }
  int64_t null_label() const override;
  double activation_floats_per_row() const override;
  std::string architecture() const override { return to_json(config_); }
  void initialise(uint64_t seed) override;

  const SitConfig& config() const { return config_; }

 private:
  struct Block {
    LayerPtr qkv, proj, fc1, fc2, modulation;
  };

  SitConfig config_;
  Tensor pos_embed_;  // [1, T, D], fixed
  LayerPtr patches_, time_in_, time_out_, labels_;
  std::vector<Block> blocks_;
  LayerPtr last_, last_modulation_;
};

}  // namespace eqm
