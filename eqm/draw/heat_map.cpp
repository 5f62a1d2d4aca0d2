#include "eqm/draw/heat_map.h"

#include <algorithm>
#include <cmath>

namespace eqm::draw {

double interpolate(const Grid& grid, Point p) {
  // Half a thousandth of a cell of tolerance: pixels on the very border belong to the grid.
  constexpr double kSlack = 5e-4;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (grid.nx < 2 || grid.ny < 2 || !is_finite(p)) return nan;
  const double u = grid.x.fraction(p.x) * (grid.nx - 1);
  const double v = grid.y.fraction(p.y) * (grid.ny - 1);
  if (!(u >= -kSlack && u <= grid.nx - 1 + kSlack && v >= -kSlack && v <= grid.ny - 1 + kSlack))
    return nan;
  const int i = std::clamp(static_cast<int>(u), 0, grid.nx - 2);
  const int j = std::clamp(static_cast<int>(v), 0, grid.ny - 2);
  const double bottom = std::lerp(grid.at(i, j), grid.at(i + 1, j), u - i);
  const double top = std::lerp(grid.at(i, j + 1), grid.at(i + 1, j + 1), u - i);
  const double value = std::lerp(bottom, top, v - j);
  return std::isfinite(value) ? value : nan;
}

Raster shade(const Grid& grid, Range x, Range y, int width, int height, const ColourMap& map,
             Range values) {
  check(grid);
  values = widened(values);
  Raster raster{.width = std::max(width, 0), .height = std::max(height, 0), .pixels = {}};
  raster.pixels.reserve(std::size_t(raster.width) * std::size_t(raster.height));
  for (int row = 0; row < raster.height; ++row) {
    const double wy = y.high - (row + 0.5) / raster.height * y.width();
    for (int column = 0; column < raster.width; ++column) {
      const double wx = x.low + (column + 0.5) / raster.width * x.width();
      raster.pixels.push_back(map.at(values.fraction(interpolate(grid, {wx, wy}))));
    }
  }
  return raster;
}

}  // namespace eqm::draw
