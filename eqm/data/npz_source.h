// Pictures in an .npz, as `eqm sample --npz` and ADM's scripts write them: arr_0, bytes [n, height,
// width, channels] of one or three channels, and, if they have labels, arr_1 with one for each.
#pragma once

#include <filesystem>

#include "eqm/data/source.h"

namespace eqm {

struct NpzSourceOptions {
  uint64_t most_in_memory = uint64_t{256} << 20;  // bytes
};

// Small arrays are read into memory, large stored ones stay in the mapped file, and large deflated
// ones are unpacked as they are read: in their order that costs nothing, but going back begins from
// the start. Kind input for a file without pictures.
SourcePtr open_npz_source(const std::filesystem::path& path, const NpzSourceOptions& options = {});

}  // namespace eqm
