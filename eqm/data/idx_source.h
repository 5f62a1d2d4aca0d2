// MNIST, Fashion-MNIST and other sets of grey images [1, H, W] in IDX files, plain or gzipped. The
// images are held in memory.
#pragma once

#include <filesystem>
#include <optional>

#include "eqm/data/source.h"
#include "eqm/data/split.h"

namespace eqm {

// The images file of a part ("train-images-idx3-ubyte", "t10k-images-idx3-ubyte", with ".gz" or
// not) in a folder; nothing when it has none.
std::optional<std::filesystem::path> find_idx_images(const std::filesystem::path& folder,
                                                     Split split);

// By the folder that holds the usual names. Images and labels must both be there.
SourcePtr open_idx_folder(const std::filesystem::path& folder, Split split);

// By the images file. The labels are in the file beside it that has "labels-idx1" in place of
// "images-idx3"; under a name without that the images have no labels. Classes are numbers, but
// Fashion-MNIST, known by its folder's name, has its articles.
SourcePtr open_idx_file(const std::filesystem::path& images);

}  // namespace eqm
