#include "eqm/data/installed_sets.h"

#include <cstdlib>
#include <system_error>

namespace eqm {
namespace {

namespace fs = std::filesystem;

bool holds_images(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "train-images-idx3-ubyte.gz", ignored) ||
         fs::exists(folder / "train-images-idx3-ubyte", ignored);
}

}  // namespace

DataPlaces DataPlaces::from_environment() {
  DataPlaces places;
  if (const char* folder = std::getenv("EQM_DATA"); folder && *folder) places.own.push_back(folder);
  places.own.push_back("data");
  if (const char* home = std::getenv("HOME"); home && *home) {
    places.own.push_back(fs::path(home) / ".cache" / "eqm");
  }
  return places;
}

std::vector<InstalledSet> installed_sets(const DataPlaces& places) {
  InstalledSet fashion = {"fashion-mnist", "", "install Debian's dataset-fashion-mnist"};
  InstalledSet mnist = {"mnist", "", "run scripts/get_mnist.sh"};
  if (holds_images(places.packaged / fashion.name)) fashion.folder = places.packaged / fashion.name;
  for (const fs::path& place : places.own) {
    for (InstalledSet* set : {&fashion, &mnist}) {
      if (set->folder.empty() && holds_images(place / set->name)) set->folder = place / set->name;
    }
  }
  return {fashion, mnist};
}

}  // namespace eqm
