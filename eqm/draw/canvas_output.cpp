// The canvas's way out: replaying its commands into pixels and into SVG.
#include <algorithm>
#include <cmath>

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/draw/cairo_support.h"
#include "eqm/draw/canvas.h"

namespace eqm::draw {
namespace {

cairo_status_t append_bytes(void* sink, const unsigned char* bytes, unsigned int count) {
  try {
    static_cast<std::string*>(sink)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {  // an exception must not travel through C
    return CAIRO_STATUS_WRITE_ERROR;
  }
}

}  // namespace

void Canvas::replay(_cairo* cairo) const {
  set_colour(cairo, kPaper);
  cairo_paint(cairo);
  for (const Command& command : commands_) command(cairo);
  for (int k = 0; k < open_clips_; ++k) cairo_restore(cairo);
  require_success(cairo);
}

Pixels Canvas::to_pixels(double scale) const {
  const double longest = scale * std::max(width_, height_);
  if (!(scale > 0) || longest > kLargestSide) {
    throw Error(ErrorKind::usage,
                fmt::format("a canvas of {} by {} pixels cannot be drawn at scale {}", width_,
                            height_, scale),
                fmt::format("the longer side of the picture ends at {} pixels", kLargestSide));
  }
  Pixels pixels;
  pixels.width = std::max(1, static_cast<int>(std::lround(scale * width_)));
  pixels.height = std::max(1, static_cast<int>(std::lround(scale * height_)));
  const Surface surface =
      own(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels.width, pixels.height));
  {
    const Context context = context_on(surface);
    cairo_scale(context.get(), scale, scale);
    replay(context.get());
  }
  cairo_surface_flush(surface.get());
  const auto* bytes = cairo_image_surface_get_data(surface.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
  const auto width = static_cast<std::size_t>(pixels.width);
  const auto height = static_cast<std::size_t>(pixels.height);
  pixels.rgb.reserve(width * height * 3);
  for (std::size_t y = 0; y < height; ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(bytes + y * stride);
    for (std::size_t x = 0; x < width; ++x) {
      for (const int shift : {16, 8, 0})
        pixels.rgb.push_back(static_cast<std::uint8_t>(row[x] >> shift));
    }
  }
  return pixels;
}

std::string Canvas::to_svg() const {
  std::string svg;
  const Surface surface =
      own(cairo_svg_surface_create_for_stream(append_bytes, &svg, width_, height_));
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  {
    const Context context = context_on(surface);
    replay(context.get());
  }
  cairo_surface_finish(surface.get());
  require_success(surface.get());
  return svg;
}

}  // namespace eqm::draw
