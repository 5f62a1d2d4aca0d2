// Images of no data set, to compare others with. Image i is a pure function of i.
#pragma once

#include <cstdint>

#include "eqm/base/names.h"
#include "eqm/data/pixels.h"
#include "eqm/data/source.h"

namespace eqm {

enum class MadeImages {
  constant,  // all pixels of an image have one random level in each channel
  noise,     // every byte is random on its own
};

const Names<MadeImages>& made_image_names();

// Without labels. Kind usage when there would be no image or no pixel.
SourcePtr made_images(MadeImages kind, int64_t count, const PlaneSize& size);

}  // namespace eqm
