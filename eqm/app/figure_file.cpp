#include "eqm/app/figure_file.h"

#include <utility>

#include "eqm/io/atomic_file.h"

namespace eqm::app {
namespace {

constexpr double kSharp = 2;

}  // namespace

Image image_of(const draw::Canvas& canvas, double scale) {
  draw::Pixels pixels = canvas.to_pixels(scale);
  return {.width = pixels.width,
          .height = pixels.height,
          .channels = 3,
          .pixels = std::move(pixels.rgb)};
}

void write_figure(const std::filesystem::path& stem, const draw::Canvas& canvas,
                  const PngText& text) {
  write_png(stem.string() + ".png", image_of(canvas, kSharp), text);
  write_file(stem.string() + ".svg", canvas.to_svg());
}

}  // namespace eqm::app
