// Images in a tar, plain (mapped) or gzipped (unpacked into memory), with the class as first
// element of the path or without classes (arrangement.h).
#pragma once

#include <filesystem>

#include "eqm/data/image_source.h"
#include "eqm/data/source.h"

namespace eqm {

SourcePtr open_tar_source(const std::filesystem::path& path, const ImageSourceOptions& options);

}  // namespace eqm
