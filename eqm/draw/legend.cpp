#include "eqm/draw/legend.h"

#include <algorithm>
#include <cmath>

namespace eqm::draw {
namespace {

constexpr double kKeyWidth = 20;
constexpr double kKeyGap = 7;     // between marker and name
constexpr double kEntryGap = 20;  // between entries in a row
constexpr double kPadding = 8;
constexpr double kMargin = 8;  // from the area's border

void draw_marker(Canvas& canvas, Point middle, const LegendEntry& entry) {
  const double half = kKeyWidth / 2;
  const Point left{middle.x - half, middle.y};
  const Point right{middle.x + half, middle.y};
  switch (entry.marker) {
    case Marker::dot:
      return canvas.circle(middle, 4, entry.colour);
    case Marker::star:
      return canvas.star(middle, 7, entry.colour, {.colour = kPaper, .width = 0.8});
    case Marker::line:
      return canvas.line(left, right, {.colour = entry.colour, .width = 2});
    case Marker::arrow:
      return canvas.arrow(left, right, {.colour = entry.colour, .width = 1.2, .head = 7});
    case Marker::square:
      return canvas.rectangle({middle.x - 6, middle.y - 5, 12, 10}, entry.colour);
  }
}

Point placed(Rect area, Place place, double width, double height) {
  const double left = area.x + kMargin;
  const double right = area.right() - kMargin - width;
  const double top = area.y + kMargin;
  const double bottom = area.bottom() - kMargin - height;
  switch (place) {
    case Place::top_left:
      return {left, top};
    case Place::top_right:
      return {right, top};
    case Place::bottom_left:
      return {left, bottom};
    case Place::bottom_right:
      return {right, bottom};
    case Place::centre:
      break;
  }
  return {area.centre().x - width / 2, area.centre().y - height / 2};
}

Raster ramp(const ColourMap& map, Direction direction) {
  constexpr int kSteps = 256;
  Raster raster{.width = 1, .height = 1, .pixels = {}};
  (direction == Direction::horizontal ? raster.width : raster.height) = kSteps;
  for (int k = 0; k < kSteps; ++k) {
    const double t = (k + 0.5) / kSteps;
    raster.pixels.push_back(map.at(direction == Direction::horizontal ? t : 1 - t));
  }
  return raster;
}

}  // namespace

Rect legend(Canvas& canvas, Rect area, std::span<const LegendEntry> entries, const LegendOptions& options) {
  if (entries.empty()) return {area.x, area.y, 0, 0};
  const TextStyle style{.size = options.text_size};
  const bool row = options.direction == Direction::horizontal;
  const double line_height = std::round(1.6 * options.text_size);
  double width = 0;
  std::vector<double> widths;
  for (const LegendEntry& entry : entries) {
    widths.push_back(kKeyWidth + kKeyGap + text_width(entry.name, style));
    width = row ? width + widths.back() : std::max(width, widths.back());
  }
  const auto count = static_cast<double>(entries.size());
  if (row) width += kEntryGap * (count - 1);
  const double padding = options.box ? kPadding : 0;
  width += 2 * padding;
  const double height = (row ? 1 : count) * line_height + 2 * padding * 0.6;

  const Point corner = placed(area, options.place, width, height);
  const Rect taken{std::floor(corner.x) + 0.5, std::floor(corner.y) + 0.5, std::ceil(width), std::ceil(height)};
  if (options.box) {
    canvas.rectangle(taken, kPaper.with_alpha(0.85));
    canvas.outline(taken, {.colour = kRule});
  }
  Point at{taken.x + padding, taken.y + padding * 0.6 + line_height / 2};
  for (std::size_t k = 0; k < entries.size(); ++k) {
    draw_marker(canvas, {at.x + kKeyWidth / 2, at.y}, entries[k]);
    canvas.text({at.x + kKeyWidth + kKeyGap, at.y + 0.36 * options.text_size}, entries[k].name, style);
    row ? at.x += widths[k] + kEntryGap : at.y += line_height;
  }
  return taken;
}

void colour_bar(Canvas& canvas, Rect area, const ColourMap& map, Range values, const ColourBarOptions& options) {
  values = widened(values);
  const bool row = options.direction == Direction::horizontal;
  // The picture reaches over the clip: at its own border, smooth stretching fades into transparency.
  canvas.push_clip(area);
  const double over = 2;
  canvas.image(row ? Rect{area.x - 1, area.y - area.height, area.width + over, 3 * area.height}
                   : Rect{area.x - area.width, area.y - 1, 3 * area.width, area.height + over},
               ramp(map, options.direction));
  canvas.pop_clip();
  canvas.outline(area, {.colour = kRule});

  TextStyle style{.colour = kMuted, .size = 11, .align = row ? Align::centre : Align::left};
  double widest = 0;
  const int about = static_cast<int>(std::clamp((row ? area.width : area.height) / 50, 2.0, 6.0));
  for (const Tick& tick : options.ticks.empty() ? nice_ticks(values, about) : options.ticks) {
    const double t = values.fraction(tick.at);
    if (!(t >= -1e-9 && t <= 1 + 1e-9)) continue;
    const Point edge = row ? Point{area.x + t * area.width, area.bottom()}
                           : Point{area.right(), area.bottom() - t * area.height};
    canvas.line(edge, row ? Point{edge.x, edge.y + 4} : Point{edge.x + 4, edge.y}, {.colour = kRule});
    canvas.text(row ? Point{edge.x, edge.y + 16} : Point{edge.x + 8, edge.y + 4}, tick.label, style);
    widest = std::max(widest, text_width(tick.label, style));
  }
  style.colour = kInk;
  style.align = Align::centre;
  style.max_width = row ? area.width : area.height;
  style.rotation = row ? 0 : 90;
  const Point middle = area.centre();
  canvas.text(row ? Point{middle.x, area.bottom() + 33} : Point{area.right() + widest + 24, middle.y},
              options.label, style);
}

}  // namespace eqm::draw
