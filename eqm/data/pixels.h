// Pictures as files have them (channels interleaved) and as models want them (planes), both ways.
// Pure functions, safe from any thread.
#pragma once

#include <cstdint>

#include "eqm/data/source.h"
#include "eqm/io/image.h"

namespace eqm {

struct PlaneSize {
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;
};

// Of an example that holds pixels: bytes in the shape [C, H, W], none of them zero. Kind usage for
// any other.
PlaneSize plane_size(const Example& pixels);

// `channels` is 1 or 3. Grey becomes colour by repetition, colour becomes grey by Pillow's weights,
// transparency is dropped. Kind usage when the image is malformed.
Example example_from_image(const Image& image, int64_t channels, int64_t label = kNoLabel);

// Whether anybody would see that the picture is not grey, however it is stored.
bool is_coloured(const Image& image);

// Of 1, 3 or 4 planes, which keep their order; kind usage for other numbers.
Image image_from_planes(const Example& pixels);

}  // namespace eqm
