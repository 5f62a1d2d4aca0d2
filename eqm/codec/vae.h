// Stable Diffusion's autoencoder: pictures to latents, eight times smaller in both directions, and
// back. Its weights are files of other people's, which are checked before they are used. Immutable
// after loading, hence safe to share between threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "eqm/codec/posterior.h"
#include "eqm/codec/tiles.h"
#include "eqm/codec/vae_config.h"
#include "eqm/tensor/torch.h"

namespace eqm {

struct VaeLimits {
  // About the most memory that activations take. Pictures are computed so many at a time, and a
  // single one that takes more in overlapping tiles, which changes it a little.
  double memory = 2e9;
};

class Vae {
 public:
  // Of diffusion_pytorch_model.safetensors (or .bin), or the folder that holds it. Both naming
  // schemes of its attention are known; the number of groups is 32 unless the metadata say
  // "norm_num_groups".
  static Vae load(const std::filesystem::path& path, const torch::TensorOptions& type,
                  const VaeLimits& limits = {});

  // Pictures [n, 3, H, W], H and W multiples of factor(): numbers from -1 to 1, or bytes, which
  // become such numbers as their turn comes.
  Posterior encode(const Tensor& pictures) const;
  // What the encoder says before that: [n, 2 C, H / factor, W / factor].
  Tensor moments(const Tensor& pictures) const;
  // Latents as encode() has them, [n, C, h, w], to pictures of about -1 to 1.
  Tensor decode(const Tensor& latents) const;

  // The side of the tiles that pictures of this size are encoded in; 0 where they are whole.
  int64_t tile_for(int64_t height, int64_t width) const;
  // How many pictures of this size are computed together: to give it more only takes memory.
  int64_t rows_for(int64_t height, int64_t width) const;
  // About the bytes that activations of so many take.
  double activations_for(int64_t rows, int64_t height, int64_t width) const;

  const VaeConfig& config() const { return config_; }
  torch::TensorOptions options() const;
  // Tells weights apart.
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  Vae() = default;

  // How much is computed together: so many rows, or tiles of one row where they have a side.
  struct Portion {
    int64_t rows = 1;
    Tiling tiling;
  };
  // For pictures of this size in pixels. `unit` is how many numbers of the input, a side, a latent
  // stands for: the factor when encoding, 1 when decoding.
  Portion portion_for(int64_t height, int64_t width, int64_t unit) const;
  static Tensor in_portions(const Tensor& x, const Portion& portion, int64_t up, int64_t down,
                            const std::function<Tensor(const Tensor&)>& function);
  double memory_for(int64_t height, int64_t width) const;  // of the activations of one picture

  Tensor encode_rows(const Tensor& pictures) const;
  Tensor decode_rows(const Tensor& latents) const;

  VaeConfig config_;
  VaeLimits limits_;
  std::map<std::string, Tensor> weights_;  // by current names
  uint64_t fingerprint_ = 0;
};

}  // namespace eqm
