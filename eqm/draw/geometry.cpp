#include "eqm/draw/geometry.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm::draw {
namespace {

// Differences of numbers below this stay finite.
constexpr double kLargest = 1e300;

}  // namespace

bool is_finite(Point p) {
  return std::isfinite(p.x) && std::isfinite(p.y);
}

Rect inset(Rect area, Margins margins) {
  return {area.x + margins.left, area.y + margins.top,
          std::max(0.0, area.width - margins.left - margins.right),
          std::max(0.0, area.height - margins.top - margins.bottom)};
}

Rect intersection(Rect a, Rect b) {
  const double left = std::max(a.x, b.x);
  const double top = std::max(a.y, b.y);
  return {left, top, std::max(0.0, std::min(a.right(), b.right()) - left),
          std::max(0.0, std::min(a.bottom(), b.bottom()) - top)};
}

std::vector<Rect> tiles(Rect area, int rows, int columns, double gap_x, double gap_y) {
  std::vector<Rect> result;
  const double width = (area.width - gap_x * (columns - 1)) / columns;
  const double height = (area.height - gap_y * (rows - 1)) / rows;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      result.push_back(
          {area.x + column * (width + gap_x), area.y + row * (height + gap_y), width, height});
    }
  }
  return result;
}

void Range::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Range range_of(std::span<const double> values) {
  Range range;
  for (const double value : values) range.include(value);
  return range;
}

Range widened(Range range) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return {0, 1};
  if (range.low > range.high) std::swap(range.low, range.high);
  range.low = std::clamp(range.low, -kLargest, kLargest);
  range.high = std::clamp(range.high, -kLargest, kLargest);
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  // Narrower than this, ticks and pixels would coincide in double precision.
  if (range.width() > size * 1e-12 && range.width() > 1e-300) return range;
  const double room = size > 0 ? 0.1 * size : 0.5;
  return {range.low - room, range.high + room};
}

Point Grid::node(int i, int j) const {
  const double u = nx > 1 ? double(i) / (nx - 1) : 0.5;
  const double v = ny > 1 ? double(j) / (ny - 1) : 0.5;
  return {x.low + u * x.width(), y.low + v * y.width()};
}

void check(const Grid& grid) {
  const bool sizes_agree = grid.nx >= 0 && grid.ny >= 0 &&
                           grid.values.size() == std::size_t(grid.nx) * std::size_t(grid.ny);
  if (!sizes_agree) {
    throw Error(ErrorKind::usage,
                fmt::format("a grid of {} by {} nodes holds {} values", grid.nx, grid.ny,
                            grid.values.size()),
                "give one value per node, row by row");
  }
  if (grid.values.empty()) return;
  const bool ranges_usable = std::isfinite(grid.x.width()) && std::isfinite(grid.y.width()) &&
                             grid.x.width() > 0 && grid.y.width() > 0;
  if (!ranges_usable) {
    throw Error(ErrorKind::usage, "a grid's range is empty or not finite",
                "give low < high for x and for y");
  }
}

Grid sample_grid(int nx, int ny, Range x, Range y, const std::function<double(Point)>& value) {
  Grid grid{.nx = std::max(nx, 0), .ny = std::max(ny, 0), .x = x, .y = y, .values = {}};
  grid.values.reserve(std::size_t(grid.nx) * std::size_t(grid.ny));
  for (int j = 0; j < grid.ny; ++j) {
    for (int i = 0; i < grid.nx; ++i) grid.values.push_back(value(grid.node(i, j)));
  }
  check(grid);
  return grid;
}

}  // namespace eqm::draw
