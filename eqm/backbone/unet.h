// The U-Net of the Flow Matching code base: residual blocks over a pyramid of halved images,
// modulated by a condition, with attention at some sizes. Parameter names are those of the
// reference, so that its weights load by name. It is convolutional: states of any height and width
// that halve as often as there are levels pass. Letters: B batch, C channels, E = 4 model_channels.
#pragma once

#include <string>
#include <vector>

#include "eqm/backbone/backbone.h"
#include "eqm/backbone/layers.h"

namespace eqm {

// Of every group norm; channels are multiples of it.
inline constexpr int64_t kUnetGroups = 32;

struct UnetConfig {
  int64_t input_size = 32;  // height and width of the state
  int64_t in_channels = 3;
  int64_t out_channels = 3;
  int64_t model_channels = 128;
  std::vector<int64_t> channel_mult = {2, 2, 2};     // width of each level, in model_channels
  int64_t num_res_blocks = 4;                        // per level; the way up has one more
  std::vector<int64_t> attention_resolutions = {2};  // how often smaller the image is there
  double dropout = 0;          // share of activations that training drops in each residual block
  bool conv_resample = false;  // sizes change by convolutions, not by averages and repeats
  int64_t num_heads = 1;
  int64_t num_head_channels = -1;  // above 0 it says how many heads there are
  bool resblock_updown = false;    // sizes change inside residual blocks
  int64_t num_classes = 0;         // labels beside the null class
  bool ignore_time = false;        // no time input

  bool operator==(const UnetConfig&) const = default;

  template <class Config, class Visit>
  static void visit(Config& config, const Visit& field) {
    field("input_size", config.input_size);
    field("in_channels", config.in_channels);
    field("out_channels", config.out_channels);
    field("model_channels", config.model_channels);
    field("channel_mult", config.channel_mult);
    field("num_res_blocks", config.num_res_blocks);
    field("attention_resolutions", config.attention_resolutions);
    field("dropout", config.dropout);
    field("conv_resample", config.conv_resample);
    field("num_heads", config.num_heads);
    field("num_head_channels", config.num_head_channels);
    field("resblock_updown", config.resblock_updown);
    field("num_classes", config.num_classes);
    field("ignore_time", config.ignore_time);
  }
};

// Throws a usage error that names the first rule the configuration breaks.
void check(const UnetConfig& config);

// "unet-cifar10", which the Flow Matching code base trains on CIFAR-10, and "unet-small", for CPUs.
// State shape, classes, time input and dropout are the caller's.
UnetConfig unet_preset(const std::string& name);
std::vector<std::string> unet_preset_names();

std::string to_json(const UnetConfig& config);
UnetConfig unet_config_from_json(const std::string& json);

// How many numbers the parameters of a checked configuration hold, without building them.
double weight_count(const UnetConfig& config);

// How many numbers a row of a batch leaves for the backward pass.
double activation_count(const UnetConfig& config);

class UnetLayer;

class Unet final : public Backbone {
 public:
  // The parameters are not initialised.
  explicit Unet(const UnetConfig& config);

  // Scale and shift [B, 2C] of each residual block in turn, then the seeds of dropout.
  Conditioning conditioning(const Condition& condition, int64_t batch) const override;
  Prediction forward_with(const Tensor& x, const Conditioning& conditioning) const override;

  Shape state_shape() const override;
  int64_t num_classes() const override { return config_.num_classes; }
  int64_t null_label() const override { return config_.num_classes; }
  double activation_floats_per_row() const override;
  std::string architecture() const override { return to_json(config_); }
  void initialise(uint64_t seed) override;

  const UnetConfig& config() const { return config_; }

 private:
  using Block = std::vector<std::shared_ptr<UnetLayer>>;

  Tensor embed_condition(const Condition& condition, int64_t batch) const;  // -> [B, E]

  UnetConfig config_;
  LayerPtr time_in_, time_out_;  // null without time input
  LayerPtr label_table_;         // null without classes
  std::vector<Block> down_, up_;
  Block middle_;
  LayerPtr out_norm_, out_conv_;
};

}  // namespace eqm
