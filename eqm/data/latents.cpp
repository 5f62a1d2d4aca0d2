#include "eqm/data/latents.h"

#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/data/join_source.h"
#include "eqm/data/layout.h"
#include "eqm/data/tensor_source.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// ImageNet has thousands of shards: the checksum spares a look at the examples, which would read
// gigabytes.
SourcePtr open_shard(const std::filesystem::path& folder, const LatentShard& shard) {
  const std::filesystem::path path = folder / shard.file;
  SourcePtr source = open_tensor_source(path, shard.crc32c);
  if (source->size() == shard.count) return source;
  throw Error(ErrorKind::input,
              fmt::format("{} holds {} latents where the manifest says {}",
                          in_quotes(path.string()), source->size(), shard.count),
              "remove it, and encode again into the same {out}");
}

// What the manifest says of all shards; the type and the views are in each file.
void require_recipe(const std::filesystem::path& path, const LatentRecipe& recipe) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const auto views = file.metadata().find("views");
  const bool same = file.contains("posteriors") &&
                    name_of(file.at("posteriors").dtype) == recipe.stored &&
                    views != file.metadata().end() && views->second == std::to_string(recipe.views);
  if (same) return;
  throw Error(ErrorKind::input,
              fmt::format("{} does not hold {} posteriors of {} view{} a picture, as the manifest "
                          "says",
                          in_quotes(path.string()), recipe.stored, recipe.views,
                          recipe.views == 1 ? "" : "s"),
              "remove it, and encode again into the same {out}");
}

}  // namespace

LatentManifest check_latents(const std::filesystem::path& folder) {
  LatentManifest manifest = read_latent_manifest(folder);
  check_shards(manifest, folder, /*content=*/true);
  std::vector<SourcePtr> parts;
  for (const LatentShard& shard : manifest.shards) {
    if (shard.count == 0) continue;
    require_recipe(folder / shard.file, manifest.recipe);
    parts.push_back(open_shard(folder, shard));
    require_layout(parts.back()->get(0), layout_of(*parts.front()), parts.back()->name_of(0));
  }
  if (!parts.empty()) join_source(std::move(parts));  // refuses other classes
  return manifest;
}

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
    parts.push_back(open_shard(folder, shard));
  }
  if (parts.empty()) {
    throw Error(ErrorKind::input, in_quotes(folder.string()) + " holds no latents",
                "every picture it was made of is damaged; get them again");
  }
  return join_source(std::move(parts));
}

}  // namespace eqm
