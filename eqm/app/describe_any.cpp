#include "eqm/app/describe_any.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/describe_file.h"
#include "eqm/app/describe_results.h"
#include "eqm/app/shipped.h"
#include "eqm/base/error.h"
#include "eqm/data/installed_sets.h"
#include "eqm/data/latent_manifest.h"
#include "eqm/data/public_sets.h"
#include "eqm/io/text.h"
#include "eqm/train/run_folder.h"

namespace eqm::app {

namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_run_or_checkpoint(const fs::path& folder) {
  const RunPaths paths = {.folder = folder};
  return is_there(paths.config()) || is_there(paths.model()) || is_there(paths.checkpoints());
}

Description describe_latents(const fs::path& folder, const DescriptionStyle& style) {
  const LatentManifest manifest = read_latent_manifest(folder);
  const LatentRecipe& recipe = manifest.recipe;
  const auto missing = std::ranges::count_if(
      manifest.shards, [&](const LatentShard& shard) { return !is_there(shard, folder); });
  Description lines = {
      {"latents", folder.string()},
      {"of", fmt::format("{} pictures of {}x{}{}", recipe.pictures, recipe.size, recipe.size,
                         recipe.views == 2 ? ", and mirrored" : "")},
      {"stored as", recipe.stored},
      {"shards", fmt::format("{} of {}{}", manifest.shards.size(), manifest.shard_count(),
                             manifest.complete() ? "" : ": not finished")},
      {"examples", fmt::format("{}, and {} damaged pictures skipped", manifest.examples(),
                               manifest.skipped())}};
  if (missing > 0) {
    lines.emplace_back("damaged", fmt::format("{} shards are missing or of another length; `eqm "
                                              "encode` into the same {} makes them again",
                                              missing, style.option("out")));
  }
  return lines;
}

// The pictures that runs have drawn are not a data set.
void refuse_folder_of_runs(const fs::path& folder) {
  std::vector<std::string> runs;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_run_or_checkpoint(entry->path())) {
      runs.push_back(in_quotes(entry->path().filename().string()));
    }
  }
  if (runs.empty()) return;
  std::ranges::sort(runs);
  throw Error(ErrorKind::input, "there is no model in the folder " + in_quotes(folder.string()),
              fmt::format("name a run folder in it: {}", fmt::join(runs, ", ")));
}

Description describe_folder(const fs::path& folder, const DescriptionStyle& style) {
  // The results of `eqm landscape` have options and a model, as a run has, but no checkpoints.
  const bool landscape = is_there(folder / "landscape.png") && !is_there(folder / "checkpoints");
  if (is_run_or_checkpoint(folder) && !landscape) return describe(folder);
  if (const auto results = describe_results(folder)) return *results;
  refuse_folder_of_runs(folder);
  for (const fs::path& place : {folder, folder / "train"}) {
    if (has_latents(place)) return describe_latents(place, style);
  }
  return describe_data(folder.string(), style);
}

// The path that a name without one stands for.
fs::path path_named(const std::string& what) {
  for (const ShippedKind kind : {ShippedKind::model, ShippedKind::recipe}) {
    for (const ShippedFile& file : shipped_files(kind)) {
      if (file.name == what) return file.path;
    }
  }
  if (const std::string advice = how_to_get(what); !advice.empty()) {
    throw Error(ErrorKind::usage, "there is no file, folder or data set " + in_quotes(what),
                advice);
  }
  return find_shipped(ShippedKind::model, what);
}

}  // namespace

Description describe_any(const std::string& what, const DescriptionStyle& style) {
  if (!is_there(what)) {
    for (const InstalledSet& set : installed_sets(DataPlaces::from_environment())) {
      if (set.name == what) return describe_data(what, style);
    }
  }
  const fs::path path = is_there(what) ? fs::path(what) : path_named(what);
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? describe_folder(path, style)
                                         : describe_file(path, style);
}

}  // namespace eqm::app
