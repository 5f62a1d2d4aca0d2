#include "eqm/codec/options.h"

#include "eqm/base/error.h"

namespace eqm {

void CodecOptions::declare(OptionSet& options) {
  options.section("autoencoder");
  options.text(
      "vae", vae,
      "autoencoder for latents: Stable Diffusion's diffusion_pytorch_model.safetensors, or "
      "its folder");
  options.count(
      "vae-memory-mb", vae_memory_mb, Range::between(16, 1'000'000),
      "approximate memory limit of the autoencoder; larger pictures are processed in tiles");
}

std::shared_ptr<const Vae> CodecOptions::open(const torch::TensorOptions& type) const {
  if (vae.empty()) return nullptr;
  const VaeLimits limits = {.memory = static_cast<double>(vae_memory_mb) * 1e6};
  try {
    return std::make_shared<const Vae>(Vae::load(vae, type, limits));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    throw Error(error.kind(), error.what(), where_autoencoders_come_from());
  }
}

Codec CodecOptions::codec_of(const Model& model, const torch::TensorOptions& type) const {
  const std::shared_ptr<const Vae> autoencoder = open(type);
  if (!autoencoder) return model.scaling;
  require_latents(autoencoder->config(), model.backbone->state_shape());
  return Codec(model.scaling, autoencoder);
}

bool makes_latents(const Model& model) {
  const Shape shape = model.backbone->state_shape();
  return shape.size() == 3 && shape[0] != 1 && shape[0] != 3;
}

std::string where_autoencoders_come_from() {
  return "give {vae} FILE: the diffusion_pytorch_model.safetensors of sd-vae-ft-ema or "
         "sd-vae-ft-mse, from the pages of stabilityai on the Hugging Face hub";
}

}  // namespace eqm
