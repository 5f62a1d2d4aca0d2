// The architecture of Stable Diffusion's autoencoder (AutoencoderKL), and the names and shapes of
// its weights.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eqm/tensor/torch.h"

namespace eqm {

struct VaeConfig {
  std::vector<int64_t> channels = {128, 256, 512, 512};  // per level; each but the last halves
  int64_t layers = 2;                                    // residual blocks per level
  int64_t groups = 32;                                   // of every normalisation
  int64_t image_channels = 3;
  int64_t latent_channels = 4;

  // How many pixels a latent covers, in either direction.
  int64_t factor() const { return int64_t{1} << (channels.size() - 1); }
};

// What a picture [C, H, W] becomes. Kind usage when the autoencoder does not take it.
Shape latent_shape(const VaeConfig& config, const Shape& picture);

// Kind usage when states of this shape are not what the autoencoder decodes.
void require_latents(const VaeConfig& config, const Shape& state);

// The names that current files have; older ones call the parts of attention otherwise.
std::map<std::string, Shape> vae_shapes(const VaeConfig& config);

// The current name of a weight, whatever scheme it is from.
std::string current_vae_name(std::string name);

// What the shapes tell, by current names; the number of groups leaves no trace in them. Kind input
// when they are not those of such an autoencoder.
VaeConfig vae_config_from(const std::map<std::string, Shape>& shapes, int64_t groups);

}  // namespace eqm
