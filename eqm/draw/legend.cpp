#include "eqm/draw/legend.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace eqm::draw {
namespace {

constexpr double kKeyWidth = 20;
constexpr double kKeyGap = 7;      // between marker and name
constexpr double kEntryGap = 20;   // between entries in a row
constexpr double kFromBorder = 8;  // from the area's border

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
      return canvas.line(left, right, {.colour = entry.colour, .width = 2, .dashes = entry.dashes});
    case Marker::arrow:
      return canvas.arrow(left, right, {.colour = entry.colour, .width = 1.2, .head = 7});
    case Marker::square:
      return canvas.rectangle({middle.x - 6, middle.y - 5, 12, 10}, entry.colour);
    case Marker::none:
      return;
  }
}

double padding_x(const LegendOptions& options) {
  return options.box ? 8 : 0;
}
double padding_y(const LegendOptions& options) {
  return options.box ? 5 : 0;
}
double line_height(const LegendOptions& options) {
  return std::round(1.6 * options.text_size);
}

double entry_width(const LegendEntry& entry, const LegendOptions& options) {
  return kKeyWidth + kKeyGap + text_width(entry.name, {.size = options.text_size});
}

Point placed(Rect area, Place place, double width, double height) {
  const double left = area.x + kFromBorder;
  const double right = area.right() - kFromBorder - width;
  const double top = area.y + kFromBorder;
  const double bottom = area.bottom() - kFromBorder - height;
  const Point middle{area.centre().x - width / 2, area.centre().y - height / 2};
  switch (place) {
    case Place::top_left:
      return {left, top};
    case Place::top_right:
      return {right, top};
    case Place::bottom_left:
      return {left, bottom};
    case Place::bottom_right:
      return {right, bottom};
    case Place::top:
      return {middle.x, top};
    case Place::bottom:
      return {middle.x, bottom};
    case Place::left:
      return {left, middle.y};
    case Place::right:
      return {right, middle.y};
    case Place::centre:
      break;
  }
  return middle;
}

constexpr Margins kClearance{-4, -4, -4, -4};  // between a legend and the lines

// The length of a segment inside a rectangle (Liang and Barsky). A point counts as one pixel.
double length_inside(Rect box, Point from, Point to) {
  if (!is_finite(from) || !is_finite(to)) return 0;
  double enter = 0, leave = 1;
  const auto cut = [&](double start, double step, double low, double high) {
    if (step == 0) {
      if (start < low || start > high) leave = -1;
      return;
    }
    const double a = (low - start) / step, b = (high - start) / step;
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  };
  cut(from.x, to.x - from.x, box.x, box.right());
  cut(from.y, to.y - from.y, box.y, box.bottom());
  if (leave < enter) return 0;
  return std::max(1.0, (leave - enter) * std::hypot(to.x - from.x, to.y - from.y));
}

double hidden_under(Rect box, std::span<const Polyline> lines) {
  double hidden = 0;
  for (const Polyline& line : lines) {
    for (std::size_t k = 0; k < line.size(); ++k) {
      hidden += length_inside(box, line[k > 0 ? k - 1 : 0], line[k]);
      hidden += length_inside(box, line[k], line[k]);  // also where its neighbours are missing
    }
  }
  return hidden;
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

Rect legend_area(Rect area, std::span<const LegendEntry> entries, const LegendOptions& options) {
  if (entries.empty()) return {area.x, area.y, 0, 0};
  const bool row = options.direction == Direction::horizontal;
  const auto count = static_cast<double>(entries.size());
  double width = row ? kEntryGap * (count - 1) : 0;
  for (const LegendEntry& entry : entries) {
    const double own_width = entry_width(entry, options);
    width = row ? width + own_width : std::max(width, own_width);
  }
  width += 2 * padding_x(options);
  const double height = (row ? 1 : count) * line_height(options) + 2 * padding_y(options);
  const Point corner = placed(area, options.place, width, height);
  return {std::floor(corner.x) + 0.5, std::floor(corner.y) + 0.5, std::ceil(width),
          std::ceil(height)};
}

Rect legend(Canvas& canvas, Rect area, std::span<const LegendEntry> entries,
            const LegendOptions& options) {
  const Rect taken = legend_area(area, entries, options);
  if (entries.empty()) return taken;
  if (options.box) {
    canvas.rectangle(taken, kPaper.with_alpha(0.85));
    canvas.outline(taken, {.colour = kRule});
  }
  Point at{taken.x + padding_x(options), taken.y + padding_y(options) + line_height(options) / 2};
  for (const LegendEntry& entry : entries) {
    draw_marker(canvas, {at.x + kKeyWidth / 2, at.y}, entry);
    canvas.text({at.x + kKeyWidth + kKeyGap, at.y + 0.36 * options.text_size}, entry.name,
                {.size = options.text_size});
    if (options.direction == Direction::horizontal) {
      at.x += entry_width(entry, options) + kEntryGap;
    } else {
      at.y += line_height(options);
    }
  }
  return taken;
}

std::vector<LegendEntry> fitting_entries(std::span<const LegendEntry> entries, double height,
                                         const LegendOptions& options) {
  const double room = height - 2 * kFromBorder - 2 * padding_y(options);
  const auto most = static_cast<std::size_t>(std::max(1.0, room / line_height(options)));
  if (entries.size() <= most) return {entries.begin(), entries.end()};
  std::vector<LegendEntry> shown(entries.begin(), entries.begin() + std::ptrdiff_t(most) - 1);
  shown.push_back({.name = "and " + std::to_string(entries.size() - shown.size()) + " more",
                   .colour = kMuted,
                   .marker = Marker::none});
  return shown;
}

LegendPlace emptiest_place(Rect area, std::span<const LegendEntry> entries,
                           std::span<const Polyline> lines, const LegendOptions& options) {
  LegendPlace best{.place = Place::top_right, .hidden = std::numeric_limits<double>::infinity()};
  for (const Place place :
       {Place::top_right, Place::top_left, Place::bottom_right, Place::bottom_left, Place::top,
        Place::right, Place::left, Place::bottom}) {
    LegendOptions there = options;
    there.place = place;
    const double hidden = hidden_under(inset(legend_area(area, entries, there), kClearance), lines);
    if (hidden < best.hidden) best = {place, hidden};
  }
  return best;
}

void colour_bar(Canvas& canvas, Rect area, const ColourMap& map, Range values,
                const ColourBarOptions& options) {
  values = widened(values);
  const bool row = options.direction == Direction::horizontal;
  canvas.image(area, ramp(map, options.direction));
  canvas.outline(area, {.colour = kRule});

  TextStyle style{.colour = kMuted, .size = 11, .align = row ? Align::centre : Align::left};
  double widest = 0;
  const int about = static_cast<int>(std::clamp((row ? area.width : area.height) / 50, 2.0, 6.0));
  for (const Tick& tick : options.ticks.empty() ? nice_ticks(values, about) : options.ticks) {
    const double t = values.fraction(tick.at);
    if (!(t >= -1e-9 && t <= 1 + 1e-9)) continue;
    const Point edge = row ? Point{area.x + t * area.width, area.bottom()}
                           : Point{area.right(), area.bottom() - t * area.height};
    canvas.line(edge, row ? Point{edge.x, edge.y + 4} : Point{edge.x + 4, edge.y},
                {.colour = kRule});
    canvas.text(row ? Point{edge.x, edge.y + 16} : Point{edge.x + 8, edge.y + 4}, tick.label,
                style);
    widest = std::max(widest, text_width(tick.label, style));
  }
  style.colour = kInk;
  style.align = Align::centre;
  style.max_width = row ? area.width : area.height;
  style.rotation = row ? 0 : 90;
  const Point middle = area.centre();
  canvas.text(
      row ? Point{middle.x, area.bottom() + 33} : Point{area.right() + widest + 24, middle.y},
      options.label, style);
}

}  // namespace eqm::draw
