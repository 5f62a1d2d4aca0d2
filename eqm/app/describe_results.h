// Descriptions of folders of results that uses wrote.
#pragma once

#include <filesystem>
#include <optional>

#include "eqm/train/describe.h"

namespace eqm::app {

// Nothing when the folder holds no file by which a verb's results are known.
std::optional<Description> describe_results(const std::filesystem::path& folder);

}  // namespace eqm::app
