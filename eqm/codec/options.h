// The options of verbs that may meet latents.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/base/options.h"
#include "eqm/codec/codec.h"
#include "eqm/landscape/model.h"

namespace eqm {

struct CodecOptions {
  std::string vae;
  int64_t vae_memory_mb = 2048;

  void declare(OptionSet& options);

  // Null when no autoencoder was named. Its weights take the device and precision of `type`.
  std::shared_ptr<const Vae> open(const torch::TensorOptions& type) const;

  // Of a model, with the autoencoder that was named, if any. Kind usage when the model's states are
  // not what it decodes.
  Codec codec_of(const Model& model, const torch::TensorOptions& type) const;
};

// Whether the states of a model are latents, which only an autoencoder makes pictures of.
bool makes_latents(const Model& model);

// What to tell who has latents and no autoencoder.
std::string where_autoencoders_come_from();

}  // namespace eqm
