#include "eqm/data/latent_manifest.h"

#include <algorithm>
#include <numeric>
#include <system_error>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/crc32c.h"
#include "eqm/io/json_value.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kManifest = "manifest.json";
constexpr int64_t kMostPerShard = 1'000'000;
constexpr int64_t kMostSide = 1 << 20;  // of a picture
constexpr const char* kFormat = "eqm latents 1";

std::string hexadecimal(uint64_t number) {
  return fmt::format("{:016x}", number);
}

uint64_t from_hexadecimal(const std::string& text) {
  size_t read = 0;
  const uint64_t number = std::stoull(text, &read, 16);
  if (read != text.size()) throw std::invalid_argument(text);
  return number;
}

[[noreturn]] void refuse_latents(const fs::path& path, const std::string& problem) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(path.string()), problem),
              "encode again into the same {out}; what is whole is kept");
}

// Whether an encoder could have been given this. The counts that follow from it are then safe to
// compute.
bool is_plausible(const LatentRecipe& recipe) {
  const bool counts = recipe.per_shard >= 1 && recipe.per_shard <= kMostPerShard &&
                      recipe.pictures >= 0 && (recipe.views == 1 || recipe.views == 2);
  const bool sizes =
      recipe.size >= 1 && recipe.size <= kMostSide && recipe.tile >= 0 && recipe.tile <= kMostSide;
  return counts && sizes && (recipe.stored == "F16" || recipe.stored == "F32");
}

LatentManifest manifest_from(const json& from) {
  LatentManifest manifest;
  LatentRecipe& recipe = manifest.recipe;
  read_json(from.at("size"), recipe.size);
  read_json(from.at("views"), recipe.views);
  read_json(from.at("tile"), recipe.tile);
  read_json(from.at("stored"), recipe.stored);
  read_json(from.at("pictures"), recipe.pictures);
  read_json(from.at("per_shard"), recipe.per_shard);
  if (!is_plausible(recipe)) throw std::invalid_argument("recipe");
  recipe.data = from_hexadecimal(from.at("data"));
  recipe.autoencoder = from_hexadecimal(from.at("autoencoder"));
  std::unordered_set<std::string> names;
  for (const json& item : from.at("shards")) {
    LatentShard shard = {.file = item.at("file"),
                         .count = json_value<int64_t>(item.at("count")),
                         .bytes = json_value<uint64_t>(item.at("bytes")),
                         .crc32c = json_value<uint32_t>(item.at("crc32c")),
                         .skipped = item.at("skipped")};
    // A name, not a path: the manifest may be anybody's.
    const bool is_name = fs::path(shard.file).filename() == fs::path(shard.file);
    const auto number = static_cast<int64_t>(manifest.shards.size());
    if (!is_name || number >= manifest.shard_count() || !names.insert(shard.file).second) {
      throw std::invalid_argument(shard.file);
    }
    // Every picture of a shard's part of the set is encoded or skipped.
    const int64_t part = std::min(recipe.per_shard, recipe.pictures - number * recipe.per_shard);
    const auto skipped = static_cast<int64_t>(shard.skipped.size());
    if (shard.count < 0 || shard.count > part - skipped) throw std::invalid_argument(shard.file);
    manifest.shards.push_back(std::move(shard));
  }
  return manifest;
}

}  // namespace

int64_t LatentManifest::shard_count() const {
  return recipe.pictures / recipe.per_shard + (recipe.pictures % recipe.per_shard != 0);
}

int64_t LatentManifest::examples() const {
  return std::accumulate(shards.begin(), shards.end(), int64_t{0},
                         [](int64_t sum, const LatentShard& shard) { return sum + shard.count; });
}

int64_t LatentManifest::skipped() const {
  int64_t count = 0;
  for (const LatentShard& shard : shards) count += static_cast<int64_t>(shard.skipped.size());
  return count;
}

bool has_latent_manifest(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kManifest, ignored);
}

bool has_latents(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder / kManifest, ignored)) return false;
  const MappedFile file = MappedFile::open(folder / kManifest);
  const json from = json::parse(file.text(), nullptr, /*allow_exceptions=*/false);
  if (!from.is_object()) return false;
  const auto format = from.find("format");
  return format != from.end() && format->is_string() &&
         format->get<std::string>().starts_with("eqm latents");
}

LatentManifest parse_latent_manifest(std::string_view text, const std::string& source) {
  try {
    const json from = json::parse(text);
    if (from.at("format") != kFormat) throw std::invalid_argument("format");
    return manifest_from(from);
  } catch (const std::exception&) {  // of the parser, or of a number that is none
    throw Error(ErrorKind::input, in_quotes(source) + " is no manifest of latents",
                "`eqm encode` writes one beside its shards");
  }
}

LatentManifest read_latent_manifest(const fs::path& folder) {
  const MappedFile file = MappedFile::open(folder / kManifest);
  return parse_latent_manifest(file.text(), (folder / kManifest).string());
}

void write_latent_manifest(const LatentManifest& manifest, const fs::path& folder) {
  const LatentRecipe& recipe = manifest.recipe;
  json shards = json::array();
  for (const LatentShard& shard : manifest.shards) {
    shards.push_back({{"file", shard.file},
                      {"count", shard.count},
                      {"bytes", shard.bytes},
                      {"crc32c", shard.crc32c},
                      {"skipped", shard.skipped}});
  }
  const json all = {{"format", kFormat},
                    {"size", recipe.size},
                    {"views", recipe.views},
                    {"tile", recipe.tile},
                    {"stored", recipe.stored},
                    {"pictures", recipe.pictures},
                    {"per_shard", recipe.per_shard},
                    {"data", hexadecimal(recipe.data)},
                    {"autoencoder", hexadecimal(recipe.autoencoder)},
                    {"shards", shards}};
  AtomicFile file(folder / kManifest);
  file.write(all.dump(1) + "\n");
  file.commit();
}

LatentShard describe_shard(const fs::path& file, int64_t count) {
  const MappedFile mapped = MappedFile::open(file);
  return {.file = file.filename().string(),
          .count = count,
          .bytes = mapped.bytes().size(),
          .crc32c = crc32c(mapped.text())};
}

bool is_there(const LatentShard& shard, const fs::path& folder) {
  std::error_code missing;
  const uintmax_t bytes = fs::file_size(folder / shard.file, missing);
  return !missing && bytes == shard.bytes;
}

void check_shards(const LatentManifest& manifest, const fs::path& folder, bool content) {
  for (const LatentShard& shard : manifest.shards) {
    const fs::path path = folder / shard.file;
    if (!is_there(shard, folder))
      refuse_latents(path, "is missing, or not as long as the manifest says");
    if (content && describe_shard(path, shard.count).crc32c != shard.crc32c) {
      throw Error(ErrorKind::input,
                  in_quotes(path.string()) + " has another checksum than the manifest says",
                  "it was damaged on its way: remove it, and run `eqm encode` again");
    }
  }
}

}  // namespace eqm
