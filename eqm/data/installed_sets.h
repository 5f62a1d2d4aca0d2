// The image data sets this machine has, and how to get those it has not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace eqm {

// Where data sets are looked for.
struct DataPlaces {
  std::filesystem::path packaged = "/usr/share/datasets";  // of Debian's packages
  std::vector<std::filesystem::path> own;                  // the user's, the first that has it wins

  // $EQM_DATA, then ./data, then ~/.cache/eqm.
  static DataPlaces from_environment();
};

struct InstalledSet {
  std::string name;
  std::filesystem::path folder;  // empty: not found
  std::string remedy;            // how to get it
};

// All data sets that are known by name, found or not.
std::vector<InstalledSet> installed_sets(const DataPlaces& places);

}  // namespace eqm
