#include "cli/neighbour_figure.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/figure_file.h"
#include "eqm/data/pixels.h"
#include "eqm/draw/image_grid.h"

namespace eqm::cli {
namespace {

constexpr int kLeastWidth = 72;  // of a picture, so that its caption can be read
constexpr int kLine = 13;        // of a caption
constexpr int kTallest = 8192;   // pixels of the whole figure, roughly
constexpr int kWidest = 16384;
constexpr int kRest = 6;             // below a caption
constexpr double kTypeSize = 10;     // of captions
constexpr double kBaselineFall = 4;  // from the middle of a line to its baseline

draw::Pixels pixels_of(const Example& example) {
  Image image = image_from_planes(example_from_image(image_from_planes(example), 3));
  return {.width = image.width, .height = image.height, .rgb = std::move(image.pixels)};
}

// The picture enlarged, with room for `lines` lines of words below.
draw::Pixels cell(const CaptionedPicture& picture, size_t lines) {
  const draw::Pixels pixels = pixels_of(picture.pixels);
  const int zoom = (kLeastWidth - 1) / pixels.width + 1;
  const int width = zoom * pixels.width, height = zoom * pixels.height;
  draw::Canvas canvas(width, height + static_cast<int>(lines) * kLine + kRest);
  canvas.image({0, 0, static_cast<double>(width), static_cast<double>(height)}, pixels,
               draw::Sampling::nearest);
  for (size_t i = 0; i < picture.caption.size(); ++i) {
    const double middle = height + (static_cast<double>(i) + 0.5) * kLine;
    canvas.text({width / 2.0, middle + kBaselineFall}, picture.caption[i],
                {.colour = draw::kMuted,
                 .size = kTypeSize,
                 .align = draw::Align::centre,
                 .max_width = static_cast<double>(width)});
  }
  return canvas.to_pixels();
}

std::vector<std::string> column_names(size_t columns) {
  std::vector<std::string> names = {"picture", "nearest"};
  for (size_t k = 2; k < columns; ++k) names.push_back(fmt::format("{}", k));
  names.resize(columns);
  return names;
}

}  // namespace

Image neighbour_figure(const std::vector<NeighbourRow>& rows, const std::string& title) {
  size_t lines = 0;
  for (const NeighbourRow& row : rows) {
    for (const CaptionedPicture& picture : row.pictures) {
      lines = std::max(lines, picture.caption.size());
    }
  }
  const int width = cell(rows.front().pictures.front(), lines).width;
  const size_t columns =
      std::min(rows.front().pictures.size(), static_cast<size_t>(std::max(2, kWidest / width)));
  std::vector<draw::Pixels> cells;
  std::vector<std::string> names;
  for (const NeighbourRow& row : rows) {
    if (!cells.empty() && static_cast<int>(names.size() + 1) * cells[0].height > kTallest) break;
    for (size_t k = 0; k < columns; ++k) cells.push_back(cell(row.pictures[k], lines));
    names.push_back(row.name);
  }
  return image_of(draw::image_grid(cells, {.title = title,
                                           .row_labels = names,
                                           .column_labels = column_names(columns),
                                           .gap = 6,
                                           .zoom = 1}));
}

}  // namespace eqm::cli
