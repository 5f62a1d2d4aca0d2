// Where golden fixtures are: $EQM_GOLDEN, or the copy in tests/golden.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace eqm::test {

inline std::filesystem::path golden_root() {
  const char* chosen = std::getenv("EQM_GOLDEN");
  return chosen != nullptr && *chosen != '\0' ? chosen : EQM_SOURCE_FOLDER "/tests/golden";
}

// The safetensors files of one folder below it, by name.
inline std::vector<std::filesystem::path> golden_files(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(golden_root() / folder)) {
    if (entry.path().extension() == ".safetensors") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace eqm::test
