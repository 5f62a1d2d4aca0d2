// Opens a data set by its name or path.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/data/source.h"
#include "eqm/data/split.h"

namespace eqm {

struct SourceOptions {
  Split split = Split::train;
  int64_t channels = 0;  // 1 grey, 3 RGB, 0 as the images are
  int64_t size = 0;      // images are cropped to size x size around the centre; 0 as they are
};

// `what` is "fashion-mnist" (Debian's package), "mnist" (scripts/get_mnist.sh; looked for in
// $EQM_DATA/mnist, data/mnist and ~/.cache/eqm/mnist), or the path of a file or folder.
SourcePtr open_source(const std::string& what, const SourceOptions& options);

}  // namespace eqm
