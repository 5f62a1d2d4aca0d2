// A canvas remembers what was drawn and replays it into pixels or into SVG, so that both show the
// same figure. Coordinates are pixels from the top left. Points that are not finite are left out:
// they break a line and drop a marker. The canvas is a value: copies are independent. Not for use
// from several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eqm/draw/colour.h"
#include "eqm/draw/geometry.h"
#include "eqm/draw/marks.h"

struct _cairo;  // NOLINT(bugprone-reserved-identifier)

namespace eqm::draw {

struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb = {};  // [height, width, 3]
};

// A picture with transparency, to be placed on a canvas.
struct Raster {
  int width = 0;
  int height = 0;
  std::vector<Colour> pixels = {};  // [height, width], top row first
};

struct Stroke {
  Colour colour = kInk;
  double width = 1;
  std::vector<double> dashes = {};  // lengths of strokes and gaps in turn; empty for a solid line
};

// How a picture is stretched.
enum class Sampling {
  smooth,   // bilinear
  nearest,  // each of its pixels becomes a rectangle of one colour
};

enum class Align { left, centre, right };

struct TextStyle {
  Colour colour = kInk;
  double size = 12;  // pixels
  bool bold = false;
  Align align = Align::left;
  double rotation = 0;   // degrees, counter-clockwise, about the anchor
  double max_width = 0;  // wider text is set smaller until it fits; 0 means no limit
};

class Canvas {
 public:
  Canvas(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }

  void line(Point from, Point to, const Stroke& stroke);
  void polyline(std::span<const Point> points, const Stroke& stroke);
  void polygon(std::span<const Point> corners, Colour fill);
  void rectangle(Rect rect, Colour fill);
  void outline(Rect rect, const Stroke& stroke);
  void circle(Point centre, double radius, Colour fill);

  // Many filled circles of one kind. Up to a thousand darken each other where they overlap; beyond
  // that they share paths, which keeps an SVG of 100,000 points small.
  void dots(std::span<const Point> centres, double radius, Colour fill);

  void star(Point centre, double radius, Colour fill, const Stroke& edge);
  void arrow(Point tail, Point tip, const ArrowStyle& style);

  // Arrow k runs from tails[k] to tips[k]. All of them form one shape: overlaps do not darken.
  void arrows(std::span<const Point> tails, std::span<const Point> tips, const ArrowStyle& style);

  // `anchor` lies on the baseline.
  void text(Point anchor, std::string_view text, const TextStyle& style);

  // Stretched over `rect`.
  void image(Rect rect, const Raster& raster, Sampling sampling = Sampling::smooth);
  void image(Rect rect, const Pixels& pixels, Sampling sampling = Sampling::smooth);

  // What follows is drawn inside `rect` only, until the matching pop_clip().
  void push_clip(Rect rect);
  void pop_clip();

  // On white; `scale` pixels per unit of the canvas.
  Pixels to_pixels(double scale = 1) const;
  std::string to_svg() const;

 private:
  using Command = std::function<void(_cairo*)>;

  void replay(_cairo* cairo) const;
  void fill_shapes(std::vector<Polyline> shapes, Colour fill);
  void place(Rect rect, int width, int height, std::vector<std::uint32_t> argb, Sampling sampling);

  int width_;
  int height_;
  int open_clips_ = 0;
  std::vector<Command> commands_;
};

// The advance of `text` in pixels, before any max_width takes effect.
double text_width(std::string_view text, const TextStyle& style);

}  // namespace eqm::draw
