#include "eqm/app/neighbour_figure.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/app/figure_file.h"
#include "eqm/data/pixels.h"
#include "eqm/draw/image_grid.h"

namespace eqm::app {
namespace {

constexpr int kTallest = 8192;  // pixels of the whole figure, roughly
constexpr int kWidest = 16384;
constexpr int kWords = 36;  // pixels of a caption and the gap below

draw::Pixels pixels_of(const Example& example) {
  Image image = image_from_planes(example_from_image(image_from_planes(example), 3));
  return {.width = image.width, .height = image.height, .rgb = std::move(image.pixels)};
}

std::vector<std::string> column_names(size_t columns) {
  std::vector<std::string> names = {"picture", "nearest"};
  for (size_t k = 2; k < columns; ++k) names.push_back(fmt::format("{}", k));
  names.resize(columns);
  return names;
}

}  // namespace

Image neighbour_figure(const std::vector<NeighbourRow>& rows, const std::string& title) {
  const draw::Pixels first = pixels_of(rows.front().pictures.front().pixels);
  size_t columns = rows.front().pictures.size();
  const int zoom = draw::grid_zoom(first.width, first.height, static_cast<int>(columns), 1);
  columns = std::min(columns, static_cast<size_t>(std::max(2, kWidest / (zoom * first.width))));
  const auto most = static_cast<size_t>(std::max(1, kTallest / (zoom * first.height + kWords)));
  std::vector<draw::Pixels> pictures;
  draw::GridOptions options = {
      .title = title, .column_labels = column_names(columns), .gap = 6, .zoom = zoom};
  for (const NeighbourRow& row : rows) {
    if (options.row_labels.size() == most) break;
    for (size_t k = 0; k < columns; ++k) {
      pictures.push_back(pixels_of(row.pictures[k].pixels));
      options.captions.push_back(row.pictures[k].caption);
    }
    options.row_labels.push_back(row.name);
  }
  return image_of(draw::image_grid(pictures, options));
}

}  // namespace eqm::app
