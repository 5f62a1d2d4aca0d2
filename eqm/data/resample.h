// Pictures made smaller or larger exactly as Pillow does it with eight bits per channel: columns
// first, then rows, each result rounded to a byte; weights in fixed point with 22 bits behind the
// point. Each pixel of the result depends on nothing but its own neighbourhood, so a part of the
// result can be made alone. Pure functions, safe from any thread.
#pragma once

#include <cstdint>

#include "eqm/data/source.h"

namespace eqm {

enum class ResampleFilter {
  box,      // the mean over the area a pixel covers
  bicubic,  // Keys' cubic with a = -0.5
};

// One axis of the result: its whole length, and the part of it that is made.
struct ResampleAxis {
  int64_t length = 0;
  int64_t begin = 0;
  int64_t count = 0;
};

// `pixels` are bytes [C, H, W]; the result is [C, rows.count, columns.count] with the same label.
// Kind usage when an axis does not fit or the result passes kMaxImagePixels.
Example resample(const Example& pixels, const ResampleAxis& rows, const ResampleAxis& columns,
                 ResampleFilter filter);

// The whole result.
Example resample(const Example& pixels, int64_t height, int64_t width, ResampleFilter filter);

}  // namespace eqm
