// The list of the shards of a set of latents, with what they were made of and their checksums. The
// shards are written in order and the manifest after each, so that whatever happens it lists what
// is there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eqm {

struct LatentShard {
  std::string file;  // beside the manifest
  int64_t count = 0;
  uint64_t bytes = 0;
  uint32_t crc32c = 0;                    // of all its bytes
  std::vector<std::string> skipped = {};  // damaged pictures of its part of the set
};

// What latents are made of: equal for all shards of a set.
struct LatentRecipe {
  int64_t size = 0;      // side of the pictures
  int64_t views = 1;     // 2: mirrored, too
  int64_t tile = 0;      // side of the tiles they were encoded in; 0 for whole pictures
  std::string stored;    // type of the numbers, "F16" or "F32"
  int64_t pictures = 0;  // in the set they are of
  int64_t per_shard = 0;
  uint64_t data = 0;         // fingerprint of that set
  uint64_t autoencoder = 0;  // fingerprint of its weights

  bool operator==(const LatentRecipe&) const = default;
};

struct LatentManifest {
  LatentRecipe recipe;
  std::vector<LatentShard> shards;  // those that are finished

  int64_t shard_count() const;  // when all are finished
  bool complete() const { return static_cast<int64_t>(shards.size()) == shard_count(); }
  int64_t examples() const;
  int64_t skipped() const;
};

// Whether the folder holds a manifest of latents, of whatever version, and not one of something
// else.
bool has_latents(const std::filesystem::path& folder);

// Whether there is a file by that name, whatever is in it.
bool has_latent_manifest(const std::filesystem::path& folder);

// Kind input when the text is no manifest; `source` is named in errors.
LatentManifest parse_latent_manifest(std::string_view text, const std::string& source);

// Kind io or input when it cannot be read.
LatentManifest read_latent_manifest(const std::filesystem::path& folder);
void write_latent_manifest(const LatentManifest& manifest, const std::filesystem::path& folder);

// The entry of a finished file.
LatentShard describe_shard(const std::filesystem::path& file, int64_t count);

// Whether the shard is there and as long as its entry says.
bool is_there(const LatentShard& shard, const std::filesystem::path& folder);

// Kind input when a shard is missing or differs from its entry; with `content` its checksum is
// compared, too.
void check_shards(const LatentManifest& manifest, const std::filesystem::path& folder,
                  bool content);

}  // namespace eqm
