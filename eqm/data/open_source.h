// Opens a data set by its name or path, and brings its images to one size and number of channels.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/data/image_source.h"
#include "eqm/data/source.h"
#include "eqm/data/split.h"

namespace eqm {

struct SourceOptions {
  Split split = Split::train;
  int64_t channels = 0;      // 1 grey, 3 RGB, 0 as the images are
  int64_t size = 0;          // images are cropped to size x size around the centre; 0 as they are
  bool any_sizes = false;    // with size 0, for who only looks: images may differ in size
  bool latents = false;      // what is no pixels may be given, too, and stays as it is
  ColourNotice notice = {};  // called when `channels` changes the colours
};

// `what` is "fashion-mnist" (Debian's package), "mnist" (scripts/get_mnist.sh; looked for in
// $EQM_DATA/mnist, data/mnist and ~/.cache/eqm/mnist), or the path of a file or folder
// (open_path.h). Kind usage for options out of range and unknown names, kind input when the set is
// missing or damaged, or when some of its images have another size than the first and none is
// given nor any allowed: a few are looked at here, all others as the loader reaches them.
SourcePtr open_source(const std::string& what, const SourceOptions& options);

}  // namespace eqm
