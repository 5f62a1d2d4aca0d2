// Points, rectangles, ranges and grids: the plain values every other file of this folder speaks.
// Canvas coordinates are pixels with y pointing down; world coordinates have y pointing up.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace eqm::draw {

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

bool is_finite(Point p);

using Polyline = std::vector<Point>;

struct Rect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point centre() const { return {x + width / 2, y + height / 2}; }
};

struct Margins {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

Rect inset(Rect area, Margins margins);
Rect intersection(Rect a, Rect b);

// Equal tiles of `area`, row by row from the top left, with gaps between them.
std::vector<Rect> tiles(Rect area, int rows, int columns, double gap_x, double gap_y);

// An interval; the default one is empty and grows by include().
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  double width() const { return high - low; }
  double fraction(double value) const { return (value - low) / (high - low); }
  void include(double value);  // ignores what is not finite
};

Range range_of(std::span<const double> values);

// A range one can divide by: ends in order, finite and apart. An empty range becomes [0, 1]; a
// single value gets room on both sides.
Range widened(Range range);

// Values on the nodes of a regular grid; the first and last nodes lie on the ends of the ranges.
struct Grid {
  int nx = 0;
  int ny = 0;
  Range x = {};
  Range y = {};
  std::vector<double> values = {};  // [ny, nx], y upwards

  double at(int i, int j) const {
    return values[static_cast<std::size_t>(j) * std::size_t(nx) + std::size_t(i)];
  }
  Point node(int i, int j) const;
};

// Throws Error(usage) unless the ranges are usable and there are nx * ny values. Grids with fewer
// than two nodes along a side pass: they draw nothing.
void check(const Grid& grid);

Grid sample_grid(int nx, int ny, Range x, Range y, const std::function<double(Point)>& value);

}  // namespace eqm::draw
