#include "eqm/app/shipped.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/io/text.h"

namespace eqm::app {
namespace {

namespace fs = std::filesystem;

struct Place {
  const char* folder;
  const char* ending;
  const char* noun;
};

Place place_of(ShippedKind kind) {
  switch (kind) {
    case ShippedKind::model:
      return {"models", ".safetensors", "model"};
    case ShippedKind::recipe:
      return {"recipes", ".toml", "recipe"};
    case ShippedKind::experiment:
      break;
  }
  return {"experiments", ".toml", "experiment"};
}

// Empty where there is none.
fs::path folder_of(ShippedKind kind) {
  std::error_code ignored;
  std::vector<fs::path> shares;
  if (const char* chosen = std::getenv("EQM_SHARE")) shares.emplace_back(chosen);
  if (const fs::path program = fs::read_symlink("/proc/self/exe", ignored); !program.empty()) {
    const fs::path home = program.parent_path();
    shares.insert(shares.end(), {home / EQM_SHARE_FROM_PROGRAM, home / ".."});
  }
  shares.emplace_back(EQM_SHARE_INSTALLED);
  for (const fs::path& share : shares) {
    const fs::path folder = share / place_of(kind).folder;
    if (fs::is_directory(folder, ignored)) return folder.lexically_normal();
  }
  return {};
}

// The name that was probably meant, or those that come nearest.
std::string nearest_of(const std::string& what, std::vector<std::string> names) {
  constexpr size_t kMostNames = 4;
  if (const std::string meant = nearest(what, names); !meant.empty()) {
    return fmt::format("did you mean '{}'?", meant);
  }
  std::ranges::stable_sort(names, {},
                           [&](const std::string& name) { return edit_distance(what, name); });
  names.resize(std::min(names.size(), kMostNames));
  return fmt::format("the nearest names are {}", fmt::join(names, ", "));
}

}  // namespace

std::vector<ShippedFile> shipped_files(ShippedKind kind) {
  std::vector<ShippedFile> files;
  const fs::path folder = folder_of(kind);
  if (folder.empty()) return files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != place_of(kind).ending) continue;
    fs::path name = entry->path().lexically_relative(folder);
    files.push_back({name.replace_extension().string(), entry->path()});
  }
  std::ranges::sort(files, {}, &ShippedFile::name);
  return files;
}

fs::path find_shipped(ShippedKind kind, const std::string& what) {
  const Place place = place_of(kind);
  std::error_code ignored;
  if (what.empty() || fs::exists(what, ignored)) return what;
  std::vector<std::string> names;
  for (const ShippedFile& file : shipped_files(kind)) {
    if (what == file.name || what == file.name + place.ending) return file.path;
    names.push_back(file.name);
  }
  const bool is_path = what.find('/') != std::string::npos || fs::path(what).has_extension();
  if (is_path) return what;
  throw Error(
      ErrorKind::usage,
      fmt::format("there is no {}, file or folder {}", place.noun, in_quotes(what)),
      fmt::format("{}", names.empty() ? "give a path" : nearest_of(what, std::move(names))));
}

}  // namespace eqm::app
