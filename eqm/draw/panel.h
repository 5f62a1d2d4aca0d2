// A panel: a rectangle of a canvas with world coordinates, a frame, a title and ticks. Content is
// clipped to the rectangle; draw it first, then call frame(), which puts frame, ticks and words on
// top. Values that are not finite are skipped. The canvas must outlive the panel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "eqm/draw/canvas.h"
#include "eqm/draw/geometry.h"
#include "eqm/draw/ticks.h"

namespace eqm::draw {

enum class Aspect {
  equal,  // a unit of x is as long as one of y; the range with room to spare is widened
  free,   // each range fills its side
};

struct PanelOptions {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Tick> x_ticks = {};  // those outside the range are left out
  std::vector<Tick> y_ticks = {};
  Aspect aspect = Aspect::equal;
  bool grid_lines = false;  // at the ticks, behind the content
};

enum class ArrowLength {
  linear,  // proportional to the vector
  root,    // proportional to the square root of its length, so that short vectors stay visible
};

struct ArrowFieldStyle {
  ArrowStyle arrow = {};
  ArrowLength length = ArrowLength::root;
  double reach = 0.9;    // length of the longest arrow in cells of the grid
  double cell = 0;       // side of a cell in world units; 0: estimated from the positions
  double strongest = 0;  // vectors from this length on get the full reach; 0: the longest given
};

class Panel {
 public:
  // Room that words take outside the rectangle, for the layout of figures, in pixels.
  static constexpr double kTitleRoom = 26;
  static constexpr double kSubtitleRoom = 17;  // in addition to the title's
  static constexpr double kTickRoom = 20;      // below; at the left 40 suffices for most labels
  static constexpr double kLabelRoom = 20;     // in addition to the ticks'

  Panel(Canvas& canvas, Rect area, Range x, Range y, PanelOptions options = {});

  const Rect& area() const { return area_; }
  const Range& x() const { return x_; }
  const Range& y() const { return y_; }
  Point to_canvas(Point world) const;

  void points(std::span<const Point> at, double radius, Colour fill);
  void stars(std::span<const Point> at, double radius, Colour fill,
             const Stroke& edge = {kPaper, 0.8});
  void path(std::span<const Point> along, const Stroke& stroke);
  void polygon(std::span<const Point> corners, Colour fill);

  // An arrow centred on every position. Equal numbers of positions and vectors, else Error(usage).
  void arrows(std::span<const Point> at, std::span<const Point> vectors,
              const ArrowFieldStyle& style = {});

  void heat_map(const Grid& grid, const ColourMap& map, Range values);
  void contours(const Grid& grid, std::span<const double> levels, const Stroke& stroke);

  void frame();

 private:
  void draw_grid_lines();
  void draw_ticks();
  void draw_words();
  double widest_y_label() const;

  Canvas& canvas_;
  Rect area_;
  Range x_;
  Range y_;
  PanelOptions options_;
};

}  // namespace eqm::draw
