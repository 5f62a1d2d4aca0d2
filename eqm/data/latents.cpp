#include "eqm/data/latents.h"

#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/data/join_source.h"
#include "eqm/data/latent_manifest.h"
#include "eqm/data/tensor_source.h"
#include "eqm/io/text.h"

namespace eqm {

SourcePtr open_latents(const std::filesystem::path& folder) {
  const LatentManifest manifest = read_latent_manifest(folder);
  if (!manifest.complete()) {
    throw Error(ErrorKind::input,
                fmt::format("{} has {} of {} shards only", in_quotes(folder.string()),
                            manifest.shards.size(), manifest.shard_count()),
                "encode again into the same {out}; what is whole is kept");
  }
  check_shards(manifest, folder, /*content=*/false);
  std::vector<SourcePtr> parts;
  for (const LatentShard& shard : manifest.shards) {
    if (shard.count == 0) continue;
    // ImageNet has thousands of shards: a look into each would read gigabytes.
    parts.push_back(open_tensor_source(folder / shard.file, shard.crc32c));
    if (parts.back()->size() != shard.count) {
      throw Error(
          ErrorKind::input,
          fmt::format("{} holds {} latents where the manifest says {}",
                      in_quotes((folder / shard.file).string()), parts.back()->size(), shard.count),
          "remove it, and encode again into the same {out}");
    }
  }
  if (parts.empty()) {
    throw Error(ErrorKind::input, in_quotes(folder.string()) + " holds no latents",
                "every picture it was made of is damaged; get them again");
  }
  return join_source(std::move(parts));
}

}  // namespace eqm
