// What a run, a checkpoint or a model is, in a few lines for people.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace eqm {

// Topics and what there is to say about them, in order.
using Description = std::vector<std::pair<std::string, std::string>>;

// Throws an input error when the path holds nothing of ours.
Description describe(const std::filesystem::path& path);

// "10: 'top', 'trouser', ...": so many classes and the first of their names, if they have any.
std::string class_list(int64_t count, const std::vector<std::string>& names);

}  // namespace eqm
