#include "eqm/data/jpeg_recoding.h"

#include <utility>

#include <fmt/format.h>

#include "eqm/data/map_source.h"
#include "eqm/data/pixels.h"
#include "eqm/io/jpeg.h"

namespace eqm {

Example jpeg_recoded(const Example& pixels, int quality) {
  const Image image = image_from_planes(pixels);
  return example_from_image(decode_jpeg(encode_jpeg(image, quality), "a JPEG in memory"),
                            image.channels, pixels.label);
}

SourcePtr jpeg_recoded(SourcePtr source, int quality) {
  return map_source(std::move(source), fmt::format("JPEG of quality {}", quality),
                    [=](const Example& example) { return jpeg_recoded(example, quality); });
}

}  // namespace eqm
