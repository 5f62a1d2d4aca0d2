// CIFAR-10's binary batches: records of one label and 3072 pixels [3, 32, 32]. Files are mapped.
#pragma once

#include <filesystem>

#include "eqm/data/source.h"
#include "eqm/data/split.h"

namespace eqm {

inline constexpr int64_t kCifarRecord = 1 + 3 * 32 * 32;

// Whether it holds a batch of either part.
bool is_cifar_folder(const std::filesystem::path& folder);

// data_batch_1.bin to data_batch_5.bin, or test_batch.bin. Class names are the lines of
// batches.meta.txt, or those of CIFAR-10 where that is missing.
SourcePtr open_cifar_folder(const std::filesystem::path& folder, Split split);

// One batch, with the class names of its folder.
SourcePtr open_cifar_file(const std::filesystem::path& path);

}  // namespace eqm
