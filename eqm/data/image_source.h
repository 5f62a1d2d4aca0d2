// Images that are decoded when they are asked for, wherever their files are: what folders and tars
// share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eqm/data/arrangement.h"
#include "eqm/data/source.h"
#include "eqm/io/image.h"

namespace eqm {

// Files found by their number. Thread-safe.
class ImageFiles {
 public:
  virtual ~ImageFiles() = default;

  virtual Image decode(size_t file) const = 0;
  virtual ImageHeader header(size_t file) const = 0;
  virtual std::string name_of(size_t file) const = 0;

  // 0 when it is unknown.
  virtual uint64_t bytes_of(size_t file) const = 0;
};

// What becomes of the colours of pictures that are given other channels than they have.
enum class ColourChange {
  dropped,   // colour to grey; pictures that are stored as colour and look grey do not count
  repeated,  // grey to three equal channels
};

// Told once, when a set is opened; a few of its pictures are looked at.
using ColourNotice = std::function<void(ColourChange)>;

struct ImageSourceOptions {
  Split split = Split::train;
  int64_t channels = 0;  // 1 grey, 3 RGB; 0: grey if all of a few images are, else RGB
  ColourNotice notice = {};
};

// `paths` has one path for each file, which determines part and class (arrangement.h);
// `source` names the whole.
SourcePtr image_source(std::unique_ptr<ImageFiles> files, const std::vector<std::string>& paths,
                       const std::string& source, const ImageSourceOptions& options);

}  // namespace eqm
