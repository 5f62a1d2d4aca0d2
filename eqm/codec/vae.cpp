#include "eqm/codec/vae.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/io/text.h"
#include "eqm/io/weights_file.h"
#include "eqm/landscape/scaling.h"
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

Tensor numbers_of(const Tensor& pictures) {
  return pictures.is_floating_point() ? pictures : Scaling::pixels().to_states(pictures);
}

// What is made of numbers must be numbers; latents of a descent that went astray may be anything.
Tensor require_numbers(const Tensor& made, const Tensor& from) {
  if (made.isfinite().all().item<bool>() || !from.isfinite().all().item<bool>()) return made;
  throw Error(ErrorKind::numeric, "the autoencoder answered numbers that are not finite",
              "are its weights whole? get the file of {vae} again");
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
                              in_quotes(item.name)),
                  "quantised weights cannot be used; find those they were made from");
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

double Vae::memory_for(int64_t height, int64_t width) const {
  return numbers_per_pixel(config_) * static_cast<double>(height * width) *
         static_cast<double>(options().dtype().itemsize());
}

int64_t Vae::tile_for(int64_t height, int64_t width) const {
  constexpr int64_t kLeast = 16;  // latents: the network must see something
  const double share = limits_.memory / memory_for(height, width);
  if (share >= 1) return 0;
  const double side = std::sqrt(share * static_cast<double>(height * width));
  const int64_t factor = config_.factor();
  return std::max(kLeast, static_cast<int64_t>(side) / factor) * factor;
}

torch::TensorOptions Vae::options() const {
  return weights_.begin()->second.options();
}

Tensor Vae::in_portions(const Tensor& x, const Portion& portion, int64_t up, int64_t down,
                        const std::function<Tensor(const Tensor&)>& function) {
  if (portion.tiling.side == 0 && x.size(0) <= portion.rows) return function(x);
  Tensor whole;
  int64_t done = 0;
  for (const Tensor& some : x.split(portion.rows)) {
    const Tensor part = portion.tiling.side == 0
                            ? function(some)
                            : in_tiles(some, portion.tiling, up, down, function);
    if (part.size(0) == x.size(0)) return part;
    if (!whole.defined()) {
      Shape shape = part.sizes().vec();
      shape[0] = x.size(0);
      whole = torch::empty(shape, part.options());
    }
    whole.narrow(0, done, part.size(0)).copy_(part);
    done += part.size(0);
  }
  return whole;
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

int64_t Vae::rows_for(int64_t height, int64_t width) const {
  constexpr double kMost = 1 << 20;  // of pictures that are next to nothing
  return static_cast<int64_t>(std::clamp(limits_.memory / memory_for(height, width), 1.0, kMost));
}

double Vae::activations_for(int64_t rows, int64_t height, int64_t width) const {
  const int64_t tile = tile_for(height, width);
  if (tile > 0) return memory_for(tile, tile);
  return static_cast<double>(std::min(rows, rows_for(height, width))) * memory_for(height, width);
}

Vae::Portion Vae::portion_for(int64_t height, int64_t width, int64_t unit) const {
  const int64_t tile = tile_for(height, width) / config_.factor();
  return {.rows = rows_for(height, width),
          .tiling = {.side = tile * unit, .overlap = tile / 4 * unit, .align = unit}};
}

Tensor Vae::moments(const Tensor& pictures) const {
  const int64_t factor = config_.factor();
  const Shape latents = latent_shape(config_, pictures.sizes().slice(1).vec());
  if (pictures.size(0) == 0)
    return torch::empty({0, 2 * latents[0], latents[1], latents[2]}, options());
  const torch::NoGradGuard guard;
  const Tensor made =
      in_portions(pictures, portion_for(pictures.size(2), pictures.size(3), factor), 1, factor,
                  [&](const Tensor& x) { return encode_rows(numbers_of(x).to(options())); });
  return require_numbers(made, pictures);
}

Posterior Vae::encode(const Tensor& pictures) const {
  return Posterior::from(moments(pictures));
}

Tensor Vae::decode(const Tensor& latents) const {
  require_latents(config_, latents.sizes().slice(1).vec());
  const torch::NoGradGuard guard;
  const int64_t factor = config_.factor();
  const int64_t height = latents.size(2) * factor, width = latents.size(3) * factor;
  if (latents.size(0) == 0) {
    return torch::empty({0, config_.image_channels, height, width}, options());
  }
  const Tensor made = in_portions(latents.to(options()), portion_for(height, width, 1), factor, 1,
                                  [&](const Tensor& x) { return decode_rows(x); });
  return require_numbers(made, latents);
}

}  // namespace eqm
