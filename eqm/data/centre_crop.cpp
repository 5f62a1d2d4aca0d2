#include "eqm/data/centre_crop.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/data/pixels.h"
#include "eqm/data/resample.h"

namespace eqm {
namespace {

void check(int64_t size) {
  // The second bound keeps the square from overflowing.
  const auto most = static_cast<int64_t>(kMaxImagePixels);
  if (size > 0 && size <= most / size) return;
  throw Error(ErrorKind::usage, fmt::format("cannot crop pictures to {} pixels a side", size),
              fmt::format("it takes a positive size of at most {} pixels in all", most));
}

// The middle of an axis that is brought to `side` * scale pixels, rounded to even as Python does.
ResampleAxis middle_of(int64_t side, double scale, int64_t size) {
  const auto length = static_cast<int64_t>(std::nearbyint(static_cast<double>(side) * scale));
  return {.length = length, .begin = (length - size) / 2, .count = size};
}

}  // namespace

Example centre_crop(const Example& pixels, int64_t size) {
  check(size);
  PlaneSize current = plane_size(pixels);
  Example halved;
  const Example* source = &pixels;
  while (std::min(current.height, current.width) >= 2 * size) {
    halved = resample(*source, current.height / 2, current.width / 2, ResampleFilter::box);
    source = &halved;
    current = plane_size(halved);
  }
  const double scale =
      static_cast<double>(size) / static_cast<double>(std::min(current.height, current.width));
  return resample(*source, middle_of(current.height, scale, size),
                  middle_of(current.width, scale, size), ResampleFilter::bicubic);
}

}  // namespace eqm
