#include "eqm/backbone/unet_layers.h"

#include <cmath>

#include "eqm/kernel/ops.h"
#include "eqm/tensor/noise_tensor.h"

namespace eqm {
namespace {

// Of the weight of a square convolution.
Shape convolution(int64_t in, int64_t out, int64_t kernel) {
  return {out, in, kernel, kernel};
}

Tensor resized(const Tensor& h, UnetResize how) {
  if (how == UnetResize::down) return torch::avg_pool2d(h, 2);
  if (how == UnetResize::up) {
    return torch::upsample_nearest2d(h, {2 * h.size(2), 2 * h.size(3)});
  }
  return h;
}

// The image's channels as a column beside [B, C, H, W].
Tensor per_channel(const Tensor& rows) {
  return rows.unsqueeze(-1).unsqueeze(-1);
}

class UnetFirst final : public UnetLayer {
 public:
  explicit UnetFirst(const UnetPlace& place) {
    // The reference holds this convolution itself, so that its names have no further part.
    weight_ = register_parameter("weight", torch::empty(convolution(place.in, place.out, 3)));
    bias_ = register_parameter("bias", torch::empty({place.out}));
  }

  Tensor apply(const Tensor& h, UnetPass&) const override {
    return torch::conv2d(h, weight_, bias_, /*stride=*/1, /*padding=*/1);
  }
  void initialise(Initialiser& fill) override { fill_as_torch(fill, weight_, bias_); }

 private:
  Tensor weight_, bias_;
};

class UnetResample final : public UnetLayer {
 public:
  UnetResample(const UnetConfig& config, const UnetPlace& place) : how_(place.resize) {
    if (!config.conv_resample) return;
    const bool down = how_ == UnetResize::down;
    conv_ = layer(down ? "op" : "conv", convolution(place.in, place.out, 3));
  }

  Tensor apply(const Tensor& h, UnetPass&) const override {
    if (!conv_) return resized(h, how_);
    return how_ == UnetResize::up ? convolve(*conv_, resized(h, how_))
                                  : convolve(*conv_, h, /*stride=*/2);
  }
  void initialise(Initialiser& fill) override {
    if (conv_) fill_as_torch(fill, conv_->weight, conv_->bias);
  }

 private:
  UnetResize how_;
  LayerPtr conv_;
};

class UnetResidual final : public UnetLayer {
 public:
  UnetResidual(const UnetConfig& config, const UnetPlace& place) : resize_(place.resize) {
    auto in_layers = scope("in_layers"), emb_layers = scope("emb_layers"),
         out_layers = scope("out_layers");
    const int64_t embedded = 4 * config.model_channels;
    in_norm_ = in_layers->layer("0", {place.in});
    in_conv_ = in_layers->layer("2", convolution(place.in, place.out, 3));
    if (config.ignore_time && config.num_classes == 0) {
      constant_ =
          emb_layers->register_parameter("embedding_table", torch::empty({1, 2 * place.out}));
    } else {
      embedding_ = emb_layers->layer("1", {2 * place.out, embedded});
    }
    out_norm_ = out_layers->layer("0", {place.out});
    out_conv_ = out_layers->layer("3", convolution(place.out, place.out, 3));
    if (place.in != place.out) {
      skip_ = layer("skip_connection", convolution(place.in, place.out, 1));
    }
    constant_bound_ = 1 / std::sqrt(static_cast<double>(embedded));
  }

  Tensor modulation(const Tensor& active, int64_t batch) const override {
    if (constant_.defined()) return constant_.expand({batch, constant_.size(1)});
    return kernel::linear(active, embedding_->map());
  }

  Tensor apply(const Tensor& h, UnetPass& pass) const override {
    const size_t number = pass.next;
    const std::vector<Tensor> m = pass.modulation().chunk(2, 1);
    Tensor branch = resized(torch::silu(group_norm(*in_norm_, h, kUnetGroups)), resize_);
    branch = torch::silu(modulated_norm(convolve(*in_conv_, branch), m[0], m[1]));
    if (pass.dropout > 0 && pass.dropout_seeds().defined()) {
      branch = branch * dropout_rows(pass.dropout_seeds(), static_cast<uint32_t>(number),
                                     pass.dropout, branch);
    }
    const Tensor straight = resized(h, resize_);
    return (skip_ ? convolve(*skip_, straight) : straight) + convolve(*out_conv_, branch);
  }

  void initialise(Initialiser& fill) override {
    // The last convolution stays zero: every block starts as its skip connection.
    for (const auto& norm : {in_norm_, out_norm_}) norm->weight.fill_(1);
    fill_as_torch(fill, in_conv_->weight, in_conv_->bias);
    // The reference draws its constant sqrt(E) wide, which a norm's scale does not bear; as the
    // bias of the linear map in its place it is 1/sqrt(E).
    if (constant_.defined()) fill.uniform(constant_, constant_bound_);
    if (embedding_) fill_as_torch(fill, embedding_->weight, embedding_->bias);
    if (skip_) fill_as_torch(fill, skip_->weight, skip_->bias);
  }

 private:
  // norm(h) * (1 + scale) + shift, with the norm's own factors taken together with these.
  Tensor modulated_norm(const Tensor& h, const Tensor& scale, const Tensor& shift) const {
    const Tensor factor = 1 + scale;
    const Tensor normal = torch::group_norm(h, kUnetGroups, {}, {}, kGroupNormEps);
    return torch::addcmul(per_channel(out_norm_->bias * factor + shift), normal,
                          per_channel(out_norm_->weight * factor));
  }

  UnetResize resize_;
  LayerPtr in_norm_, in_conv_, out_norm_, out_conv_;
  LayerPtr skip_;       // null where the width stays
  LayerPtr embedding_;  // or, without a condition, the constant
  Tensor constant_;
  double constant_bound_ = 0;
};

class UnetAttention final : public UnetLayer {
 public:
  UnetAttention(const UnetConfig& config, const UnetPlace& place)
      : heads_(unet_heads(config, place.out)) {
    norm_ = layer("norm", {place.out});
    qkv_ = layer("qkv", {3 * place.out, place.out, 1});
    proj_ = layer("proj_out", {place.out, place.out, 1});
  }

  // A convolution of width 1 is a linear map of each pixel, [B, T, C].
  Tensor apply(const Tensor& h, UnetPass&) const override {
    const Tensor tokens =
        group_norm(*norm_, h, kUnetGroups).flatten(2).transpose(1, 2).contiguous();
    const Tensor joint = linear_pixels(*qkv_, tokens);
    const Tensor mixed = linear_pixels(*proj_, kernel::attention(joint, heads_));
    return h + mixed.transpose(1, 2).reshape(h.sizes());
  }

  void initialise(Initialiser& fill) override {
    norm_->weight.fill_(1);
    fill_as_torch(fill, qkv_->weight, qkv_->bias);  // the projection stays zero
  }

 private:
  static Tensor linear_pixels(const Layer& layer, const Tensor& tokens) {
    const Tensor weight = layer.weight.squeeze(-1);
    return kernel::linear(tokens, {weight, layer.bias, layer.packed_map().packed});
  }

  int64_t heads_;
  LayerPtr norm_, qkv_, proj_;
};

}  // namespace

void fill_as_torch(Initialiser& fill, const Tensor& weight, const Tensor& bias) {
  const auto inputs = static_cast<double>(weight.numel() / weight.size(0));
  fill.uniform(weight, 1 / std::sqrt(inputs));
  fill.uniform(bias, 1 / std::sqrt(inputs));
}

std::shared_ptr<UnetLayer> make_unet_layer(const UnetConfig& config, const UnetPlace& place) {
  switch (place.part) {
    case UnetPart::first:
      return std::make_shared<UnetFirst>(place);
    case UnetPart::residual:
      return std::make_shared<UnetResidual>(config, place);
    case UnetPart::attention:
      return std::make_shared<UnetAttention>(config, place);
    case UnetPart::resample:
      return std::make_shared<UnetResample>(config, place);
  }
  return nullptr;
}

}  // namespace eqm
