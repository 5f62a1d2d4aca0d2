// Turns a set of pictures into latents on disk (eqm/data/latent_manifest.h), shard by shard. What a
// run left finished the next one keeps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "eqm/codec/vae.h"
#include "eqm/data/latent_manifest.h"
#include "eqm/data/source.h"

namespace eqm {

struct EncodeOptions {
  bool mirrored = false;      // also what the encoder makes of mirrored pictures
  bool skip_damaged = false;  // continues without damaged pictures, and lists them
  Dtype stored = Dtype::f16;  // of the posteriors; or f32
  int64_t per_shard = 512;    // pictures
  int64_t batch = 32;         // pictures read at once, or as many as the encoder takes together
};

struct EncodeProgress {
  int64_t done = 0, all = 0;  // pictures, those of earlier runs included
  int64_t before = 0;         // of earlier runs
  int64_t skipped = 0;
  double divergence = 0;  // of the posteriors of this run from standard normal numbers, a mean
};

// Kind usage when the machine lacks the memory. `pictures` are bytes of one size. `go_on` is asked
// after every batch; when it answers false, the shard in work is lost and false comes back. Kind
// usage when the folder holds latents of something else.
bool encode_set(const Source& pictures, const Vae& vae, const std::filesystem::path& folder,
                const EncodeOptions& options,
                const std::function<bool(const EncodeProgress&)>& go_on);

}  // namespace eqm
