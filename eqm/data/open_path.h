// Opens a data set by the path of a file or folder. The format is detected from the contents, or,
// where they say nothing, from the ending (formats.h).
#pragma once

#include <cstdint>
#include <filesystem>

#include "eqm/data/image_source.h"
#include "eqm/data/source.h"

namespace eqm {

// A folder may hold latents (latents.h), IDX files, CIFAR-10's batches, a tar, safetensors or .npz
// file per part (train.tar.gz and test.tar.gz), or images. Of a file with "train" in its name the
// test part is the file beside it with "test" (or t10k, val, valid, validation) in that place. Kind
// input when the part is missing or nothing there can be read, kind io when the path does not
// exist. `channels` concerns encoded images only.
SourcePtr open_path(const std::filesystem::path& path, const ImageSourceOptions& options);

}  // namespace eqm
