#include "eqm/data/open_source.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/data/idx_source.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

struct NamedSet {
  std::string name;
  std::vector<fs::path> places;
  std::string hint;  // where to get it
};

std::vector<fs::path> places_of(const std::string& name) {
  std::vector<fs::path> places;
  if (const char* data = std::getenv("EQM_DATA")) places.push_back(fs::path(data) / name);
  places.push_back(fs::path("data") / name);
  if (const char* home = std::getenv("HOME")) {
    places.push_back(fs::path(home) / ".cache/eqm" / name);
  }
  return places;
}

std::array<NamedSet, 2> named_sets() {
  return {{{.name = "fashion-mnist",
            .places = {"/usr/share/datasets/fashion-mnist"},
            .hint = "install Debian's package dataset-fashion-mnist"},
           {.name = "mnist", .places = places_of("mnist"), .hint = "run scripts/get_mnist.sh"}}};
}

SourcePtr open_named(const NamedSet& set, Split split) {
  std::error_code ignored;
  for (const fs::path& place : set.places) {
    if (fs::is_directory(place, ignored)) return open_idx_folder(place, split);
  }
  throw Error(ErrorKind::input, fmt::format("the data set '{}' is not on this machine", set.name),
              set.hint);
}

}  // namespace

SourcePtr open_source(const std::string& what, const SourceOptions& options) {
  std::vector<std::string> names;
  for (const NamedSet& set : named_sets()) {
    if (set.name == what) return open_named(set, options.split);
    names.push_back(set.name);
  }
  std::error_code ignored;
  if (fs::is_directory(what, ignored)) return open_idx_folder(what, options.split);
  if (fs::exists(what, ignored)) return open_idx_file(what);
  throw Error(ErrorKind::usage, "there is no data set or file " + in_quotes(what),
              suggestion(what, names));
}

}  // namespace eqm
