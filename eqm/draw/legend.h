// Keys to a figure: a legend of markers with names, and a colour bar.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "eqm/draw/canvas.h"
#include "eqm/draw/colour.h"
#include "eqm/draw/geometry.h"
#include "eqm/draw/ticks.h"

namespace eqm::draw {

enum class Marker { dot, star, line, arrow, square, none };

struct LegendEntry {
  std::string name = {};
  Colour colour = kInk;
  Marker marker = Marker::line;
  std::vector<double> dashes = {};  // of a line, as in Stroke
};

enum class Direction { horizontal, vertical };

enum class Place {
  top_left,
  top_right,
  bottom_left,
  bottom_right,
  top,
  bottom,
  left,
  right,
  centre
};

struct LegendOptions {
  Direction direction = Direction::vertical;
  Place place = Place::top_right;  // inside the given area
  double text_size = 11;
  bool box = true;  // a translucent sheet of paper behind the entries
};

// The rectangle the entries will take inside `area`.
Rect legend_area(Rect area, std::span<const LegendEntry> entries,
                 const LegendOptions& options = {});

// Draws the entries inside `area` and returns the rectangle they take. No entries: nothing.
Rect legend(Canvas& canvas, Rect area, std::span<const LegendEntry> entries,
            const LegendOptions& options = {});

// As many entries as fit into a column `height` pixels high; the last says how many were left out.
std::vector<LegendEntry> fitting_entries(std::span<const LegendEntry> entries, double height,
                                         const LegendOptions& options = {});

// Where a legend hides least of what was drawn.
struct LegendPlace {
  Place place = Place::top_right;
  double hidden = 0;  // pixels of the lines under it; 0: it is free
};

// `lines` are in canvas pixels. Corners come before the middles of sides.
LegendPlace emptiest_place(Rect area, std::span<const LegendEntry> entries,
                           std::span<const Polyline> lines, const LegendOptions& options = {});

struct ColourBarOptions {
  Direction direction = Direction::vertical;
  std::string label = {};        // horizontal: below the ticks; vertical: along the right
  std::vector<Tick> ticks = {};  // values within the range; none: nice ones
};

// The bar fills `area`; ticks and label lie outside, below a horizontal bar and at the right of a
// vertical one.
void colour_bar(Canvas& canvas, Rect area, const ColourMap& map, Range values,
                const ColourBarOptions& options = {});

}  // namespace eqm::draw
