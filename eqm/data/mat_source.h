// Images in a MATLAB file, as SVHN's cropped digits have them: X, bytes [H, W, C, n] by columns,
// and their labels y [n, 1]. Held in memory, unpacked.
#pragma once

#include <filesystem>

#include "eqm/data/source.h"
#include "eqm/data/split.h"

namespace eqm {

// Whether it holds train_32x32.mat or test_32x32.mat.
bool is_svhn_folder(const std::filesystem::path& folder);

SourcePtr open_svhn_folder(const std::filesystem::path& folder, Split split);

// Labels from 1 to 10 are SVHN's, where 10 is the digit 0; others stay as they are. Without y the
// images have no labels. Kind input for a file without such images.
SourcePtr open_mat_source(const std::filesystem::path& path);

}  // namespace eqm
