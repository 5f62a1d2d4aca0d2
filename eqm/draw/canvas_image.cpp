// Pictures on the canvas.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <cairo.h>
#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/draw/cairo_support.h"
#include "eqm/draw/canvas.h"

namespace eqm::draw {
namespace {

// Longer sides are left to cairo.
constexpr int kMostRepeated = 4096;

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint32_t> argb = {};  // premultiplied, [height, width]
};

std::uint32_t premultiplied_argb(Colour colour) {
  const auto byte = [](double v) {
    return static_cast<std::uint32_t>(std::lround(255 * (v > 0 ? std::min(v, 1.0) : 0.0)));
  };
  return byte(colour.a) << 24 | byte(colour.r * colour.a) << 16 | byte(colour.g * colour.a) << 8 |
         byte(colour.b * colour.a);
}

void check_size(int width, int height, std::size_t held, std::size_t per_pixel) {
  const bool fits =
      width >= 0 && height >= 0 && width <= kLargestSide - 2 && height <= kLargestSide - 2;
  if (fits && held == static_cast<std::size_t>(width) * std::size_t(height) * per_pixel) return;
  throw Error(ErrorKind::usage,
              fmt::format("a picture of {} by {} pixels holds {} {}", width, height, held,
                          per_pixel == 1 ? "colours" : "bytes"),
              "give one for every pixel, of a picture that cairo can hold");
}

// Smooth stretching fades into transparency at a picture's border. So the border pixels are
// repeated once more around the picture, and the fading ring is clipped away.
Surface surface_of(const Picture& picture) {
  Surface surface =
      own(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, picture.width + 2, picture.height + 2));
  auto* bytes = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int y = 0; y < picture.height + 2; ++y) {
    auto* row = reinterpret_cast<std::uint32_t*>(bytes + std::ptrdiff_t{y} * stride);
    const auto* source = picture.argb.data() +
                         std::ptrdiff_t{std::clamp(y - 1, 0, picture.height - 1)} * picture.width;
    std::copy_n(source, picture.width, row + 1);
    row[0] = row[1];
    row[picture.width + 1] = row[picture.width];
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

// How often to repeat the pixels of a side that becomes `room` long.
int repeats(int side, double room) {
  const int most = std::max(1, kMostRepeated / side);
  return std::clamp(static_cast<int>(std::lround(room / side)), 1, most);
}

// Every pixel as a block of pixels. SVG cannot ask for sharp stretching, and cairo's own steps
// drift by a pixel in long rows.
Picture in_blocks(const Picture& picture, Rect rect) {
  const int across = repeats(picture.width, rect.width);
  const int down = repeats(picture.height, rect.height);
  Picture blocks{across * picture.width, down * picture.height, {}};
  blocks.argb.reserve(std::size_t(blocks.width) * std::size_t(blocks.height));
  for (int y = 0; y < blocks.height; ++y) {
    const auto* source = picture.argb.data() + std::ptrdiff_t{y / down} * picture.width;
    for (int x = 0; x < blocks.width; ++x) blocks.argb.push_back(source[x / across]);
  }
  return blocks;
}

void paint(cairo_t* cairo, Rect rect, const Picture& picture, Sampling sampling) {
  const Surface surface = surface_of(picture);
  cairo_save(cairo);
  cairo_rectangle(cairo, rect.x, rect.y, rect.width, rect.height);
  cairo_clip(cairo);
  cairo_translate(cairo, rect.x, rect.y);
  cairo_scale(cairo, rect.width / picture.width, rect.height / picture.height);
  cairo_set_source_surface(cairo, surface.get(), -1, -1);
  cairo_pattern_set_filter(cairo_get_source(cairo), sampling == Sampling::smooth
                                                        ? CAIRO_FILTER_BILINEAR
                                                        : CAIRO_FILTER_NEAREST);
  cairo_paint(cairo);
  cairo_restore(cairo);
}

}  // namespace

void Canvas::image(Rect rect, const Raster& raster, Sampling sampling) {
  check_size(raster.width, raster.height, raster.pixels.size(), 1);
  std::vector<std::uint32_t> argb(raster.pixels.size());
  std::transform(raster.pixels.begin(), raster.pixels.end(), argb.begin(), premultiplied_argb);
  place(rect, raster.width, raster.height, std::move(argb), sampling);
}

void Canvas::image(Rect rect, const Pixels& pixels, Sampling sampling) {
  check_size(pixels.width, pixels.height, pixels.rgb.size(), 3);
  std::vector<std::uint32_t> argb(pixels.rgb.size() / 3);
  for (std::size_t k = 0; k < argb.size(); ++k) {
    const std::uint8_t* rgb = &pixels.rgb[3 * k];
    argb[k] = 0xFF000000u | std::uint32_t{rgb[0]} << 16 | std::uint32_t{rgb[1]} << 8 | rgb[2];
  }
  place(rect, pixels.width, pixels.height, std::move(argb), sampling);
}

void Canvas::place(Rect rect, int width, int height, std::vector<std::uint32_t> argb,
                   Sampling sampling) {
  if (argb.empty() || !drawable(rect) || rect.width <= 0 || rect.height <= 0) return;
  // Copies of the canvas share the pixels, which no longer change.
  auto picture = std::make_shared<const Picture>(Picture{width, height, std::move(argb)});
  commands_.push_back([rect, picture = std::move(picture), sampling](cairo_t* cairo) {
    const bool sharp = sampling == Sampling::nearest;
    paint(cairo, rect, sharp ? in_blocks(*picture, rect) : *picture, sampling);
  });
}

}  // namespace eqm::draw
