// A set of pictures as latents: shards in the safetensors format, each with the posteriors of some
// pictures and their labels (tensor_source.h), and a manifest that lists them.
#pragma once

#include <filesystem>

#include "eqm/data/latent_manifest.h"
#include "eqm/data/source.h"

namespace eqm {

// Kind input when the set is not finished or a shard is not what the manifest says.
SourcePtr open_latents(const std::filesystem::path& folder);

// Reads all that is there, finished or not, and returns its manifest. Kind input when a shard
// differs from its checksum, from what the manifest says it holds, or from the other shards.
LatentManifest check_latents(const std::filesystem::path& folder);

}  // namespace eqm
