// What a run, a checkpoint or a model is, in a few lines for people.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace eqm {

// Topics and what there is to say about them, in order. Throws an input error when the path holds
// nothing of ours.
std::vector<std::pair<std::string, std::string>> describe(const std::filesystem::path& path);

}  // namespace eqm
