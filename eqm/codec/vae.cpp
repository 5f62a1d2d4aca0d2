#include "eqm/codec/vae.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/codec/tiles.h"
#include "eqm/io/text.h"
#include "eqm/tensor/bridge.h"
#include "eqm/tensor/named_tensors.h"

namespace eqm {
namespace {

// The layers of either half, on weights found by their names.
class VaeLayers {
 public:
  VaeLayers(const std::map<std::string, Tensor>& weights, const VaeConfig& config)
      : weights_(weights), config_(config) {}

  Tensor conv(const Tensor& x, const std::string& name, int64_t stride = 1) const {
    const Tensor& weight = weights_.at(name + ".weight");
    const int64_t padding = stride == 1 ? weight.size(2) / 2 : 0;
    return torch::conv2d(x, weight, weights_.at(name + ".bias"), stride, padding);
  }

  Tensor norm(const Tensor& x, const std::string& name) const {
    constexpr double kEps = 1e-6;
    return torch::group_norm(x, config_.groups, weights_.at(name + ".weight"),
                             weights_.at(name + ".bias"), kEps);
  }

  Tensor active_norm(const Tensor& x, const std::string& name) const {
    Tensor normal = norm(x, name);
    return torch::silu_(normal);
  }

  Tensor resnet(const Tensor& x, const std::string& block, int64_t number) const {
    const std::string name = fmt::format("{}.resnets.{}", block, number);
    Tensor h = conv(active_norm(x, name + ".norm1"), name + ".conv1");
    h = conv(active_norm(h, name + ".norm2"), name + ".conv2");
    const bool widens = weights_.contains(name + ".conv_shortcut.weight");
    return h.add_(widens ? conv(x, name + ".conv_shortcut") : x);
  }

  Tensor middle(const Tensor& x, const std::string& part) const {
    const std::string block = part + ".mid_block";
    return resnet(attention(resnet(x, block, 0), block + ".attentions.0"), block, 1);
  }

  // Zeros right and below only.
  Tensor half(const Tensor& x, const std::string& name) const {
    return conv(torch::constant_pad_nd(x, {0, 1, 0, 1}), name, /*stride=*/2);
  }

  Tensor twice(const Tensor& x, const std::string& name) const {
    return conv(torch::upsample_nearest2d(x, {x.size(2) * 2, x.size(3) * 2}), name);
  }

 private:
  Tensor linear(const Tensor& x, const std::string& name) const {
    return torch::linear(x, weights_.at(name + ".weight"), weights_.at(name + ".bias"));
  }

  // One head as wide as the picture has channels; some queries at a time, to bound the scores.
  Tensor attention(const Tensor& x, const std::string& name) const {
    constexpr int64_t kMostScores = int64_t{1} << 22;
    const int64_t batch = x.size(0), tokens = x.size(2) * x.size(3);
    const Tensor rows = norm(x, name + ".group_norm").flatten(2).transpose(1, 2);
    const double scale = 1 / std::sqrt(static_cast<double>(x.size(1)));
    const Tensor queries = linear(rows, name + ".to_q") * scale;
    const Tensor keys = linear(rows, name + ".to_k").transpose(1, 2);
    const Tensor values = linear(rows, name + ".to_v");
    std::vector<Tensor> parts;
    for (const Tensor& some :
         queries.split(std::max<int64_t>(1, kMostScores / (batch * tokens)), 1)) {
      parts.push_back(torch::matmul(torch::softmax(torch::matmul(some, keys), -1), values));
    }
    const Tensor out = linear(torch::cat(parts, 1), name + ".to_out.0");
    return x + out.transpose(1, 2).reshape(x.sizes());
  }

  const std::map<std::string, Tensor>& weights_;
  const VaeConfig& config_;
};

std::filesystem::path weights_in(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return path;
  for (const char* name : {"diffusion_pytorch_model.safetensors", "diffusion_pytorch_model.bin"}) {
    if (std::filesystem::exists(path / name)) return path / name;
  }
  throw Error(ErrorKind::input, fmt::format("{} holds no autoencoder", in_quotes(path.string())),
              "a diffusion_pytorch_model.safetensors is looked for");
}

int64_t groups_from(const std::map<std::string, std::string>& metadata) {
  const auto found = metadata.find("norm_num_groups");
  if (found == metadata.end()) return VaeConfig{}.groups;
  int64_t groups = 0;
  const std::string& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), groups);
  return groups;  // nonsense is refused with the channels that it does not divide
}

// Numbers that are alive at the widest place, per pixel of the picture: an input, what it is
// normalised to, and what is made of that in the layout that convolutions like.
double numbers_per_pixel(const VaeConfig& config) {
  const int64_t second = config.channels.size() > 1 ? config.channels[1] : 0;
  return 5 * static_cast<double>(std::max(config.channels[0], second));
}

// What is made of numbers must be numbers; latents of a descent that went astray may be anything.
Tensor require_numbers(const Tensor& made, const Tensor& from) {
  if (made.isfinite().all().item<bool>() || !from.isfinite().all().item<bool>()) return made;
  throw Error(ErrorKind::numeric, "the autoencoder answered numbers that are not finite",
              "are its weights whole? get the file of --vae again");
}

// Of tiles that take `share` of the memory that height x width pixels do.
int64_t tile_side(int64_t height, int64_t width, double share, int64_t align) {
  constexpr int64_t kLeast = 16;  // in units of `align`: the network must see something
  const double side = std::sqrt(share * static_cast<double>(height * width));
  return std::max(kLeast, static_cast<int64_t>(side) / align) * align;
}

// Applies a function to some rows at a time, or to tiles of one row, as many as the memory allows.
Tensor bounded(const Tensor& x, double numbers, double memory, int64_t align,
               const std::function<Tensor(const Tensor&)>& rows,
               const std::function<Tensor(const Tensor&, const Tiling&)>& tiles) {
  const double each = numbers * static_cast<double>(x.size(2) * x.size(3) * x.element_size());
  if (each > memory) {
    const int64_t side = tile_side(x.size(2), x.size(3), memory / each, align);
    const Tiling tiling = {.side = side, .overlap = side / align / 4 * align, .align = align};
    std::vector<Tensor> parts;
    for (const Tensor& row : x.split(1)) parts.push_back(tiles(row, tiling));
    return torch::cat(parts);
  }
  const auto at_once = std::max<int64_t>(1, static_cast<int64_t>(memory / each));
  if (x.size(0) <= at_once) return rows(x);
  std::vector<Tensor> parts;
  for (const Tensor& some : x.split(at_once)) parts.push_back(rows(some));
  return torch::cat(parts);
}

}  // namespace

Vae Vae::load(const std::filesystem::path& path, const torch::TensorOptions& type,
              const VaeLimits& limits) {
  const std::filesystem::path found = weights_in(path);
  const WeightsFile file = WeightsFile::open(found, WeightsChoice::automatic);
  std::map<std::string, Shape> shapes;
  for (const NamedWeights& item : file.tensors()) {
    shapes[current_vae_name(item.name)] = item.view.shape;
  }
  Vae vae;
  vae.limits_ = limits;
  try {
    vae.config_ = vae_config_from(shapes, groups_from(file.metadata()));
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", found.string(), error.what()), error.hint());
  }
  for (const NamedWeights& item : file.tensors()) {
    if (!torch::isFloatingType(scalar_type(item.view.dtype))) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: the weights {} are not numbers with a fraction", found.string(),
                              in_quotes(item.name)));
    }
    file.check(item);
    const Tensor weight =
        to_tensor(item.view, nullptr).to(type, /*non_blocking=*/false, /*copy=*/true).contiguous();
    vae.weights_[current_vae_name(item.name)] = weight;
    file.release(item);
  }
  const NamedTensors sorted(vae.weights_.begin(), vae.weights_.end());
  vae.fingerprint_ = Hash().add(fingerprint_of(sorted)).add(vae.config_.groups).value();
  return vae;
}

int64_t Vae::tile_for(int64_t height, int64_t width) const {
  const double each = numbers_per_pixel(config_) * static_cast<double>(height * width) *
                      static_cast<double>(options().dtype().itemsize());
  if (each <= limits_.memory) return 0;
  return tile_side(height, width, limits_.memory / each, config_.factor());
}

torch::TensorOptions Vae::options() const {
  return weights_.begin()->second.options();
}

Tensor Vae::encode_rows(const Tensor& pictures) const {
  const VaeLayers layers(weights_, config_);
  Tensor h = layers.conv(pictures, "encoder.conv_in");
  for (size_t i = 0; i < config_.channels.size(); ++i) {
    const std::string block = fmt::format("encoder.down_blocks.{}", i);
    for (int64_t j = 0; j < config_.layers; ++j) h = layers.resnet(h, block, j);
    if (i + 1 < config_.channels.size()) h = layers.half(h, block + ".downsamplers.0.conv");
  }
  h = layers.active_norm(layers.middle(h, "encoder"), "encoder.conv_norm_out");
  return layers.conv(layers.conv(h, "encoder.conv_out"), "quant_conv");
}

Tensor Vae::decode_rows(const Tensor& latents) const {
  const VaeLayers layers(weights_, config_);
  Tensor h = layers.conv(layers.conv(latents, "post_quant_conv"), "decoder.conv_in");
  h = layers.middle(h, "decoder");
  for (size_t i = 0; i < config_.channels.size(); ++i) {
    const std::string block = fmt::format("decoder.up_blocks.{}", i);
    for (int64_t j = 0; j <= config_.layers; ++j) h = layers.resnet(h, block, j);
    if (i + 1 < config_.channels.size()) h = layers.twice(h, block + ".upsamplers.0.conv");
  }
  return layers.conv(layers.active_norm(h, "decoder.conv_norm_out"), "decoder.conv_out");
}

Tensor Vae::moments(const Tensor& pictures) const {
  const int64_t factor = config_.factor();
  const Shape latents = latent_shape(config_, pictures.sizes().slice(1).vec());
  if (pictures.size(0) == 0)
    return torch::empty({0, 2 * latents[0], latents[1], latents[2]}, options());
  const torch::NoGradGuard guard;
  const Tensor made = bounded(
      pictures.to(options()), numbers_per_pixel(config_), limits_.memory, factor,
      [&](const Tensor& rows) { return encode_rows(rows); },
      [&](const Tensor& row, const Tiling& tiling) {
        return in_tiles(row, tiling, 1, factor, [&](const Tensor& x) { return encode_rows(x); });
      });
  return require_numbers(made, pictures);
}

Posterior Vae::encode(const Tensor& pictures) const {
  return Posterior::from(moments(pictures));
}

Tensor Vae::decode(const Tensor& latents) const {
  require_latents(config_, latents.sizes().slice(1).vec());
  const torch::NoGradGuard guard;
  const int64_t factor = config_.factor();
  if (latents.size(0) == 0) {
    const int64_t height = latents.size(2) * factor, width = latents.size(3) * factor;
    return torch::empty({0, config_.image_channels, height, width}, options());
  }
  const double numbers = numbers_per_pixel(config_) * static_cast<double>(factor * factor);
  const Tensor made = bounded(
      latents.to(options()), numbers, limits_.memory, 1,
      [&](const Tensor& rows) { return decode_rows(rows); },
      [&](const Tensor& row, const Tiling& tiling) {
        return in_tiles(row, tiling, factor, 1, [&](const Tensor& x) { return decode_rows(x); });
      });
  return require_numbers(made, latents);
}

}  // namespace eqm
