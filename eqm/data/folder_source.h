// Images in a folder, with a sub-folder per class or without any (arrangement.h).
#pragma once

#include <filesystem>

#include "eqm/data/image_source.h"
#include "eqm/data/source.h"

namespace eqm {

// Sub-folders are searched to any depth; links are followed, but each folder is entered once. Kind
// io when a folder cannot be read.
SourcePtr open_folder_source(const std::filesystem::path& folder,
                             const ImageSourceOptions& options);

}  // namespace eqm
