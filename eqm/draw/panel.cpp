#include "eqm/draw/panel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/draw/contour.h"
#include "eqm/draw/heat_map.h"

namespace eqm::draw {
namespace {

const TextStyle kTitle{.colour = kInk, .size = 13, .bold = true, .align = Align::centre};
const TextStyle kSubtitle{.colour = kMuted, .size = 11, .align = Align::centre};
const TextStyle kTickLabel{.colour = kMuted, .size = 11};
const TextStyle kAxisLabel{.colour = kInk, .size = 12, .align = Align::centre};
constexpr double kTickLength = 4, kSmallTick = 2.5;
constexpr double kMostTickLabel = 60;  // at the left; wider ones are set smaller

double length_of(const Tick& tick) {
  return tick.label.empty() ? kSmallTick : kTickLength;
}

class ClipScope {
 public:
  ClipScope(Canvas& canvas, Rect area) : canvas_(canvas) { canvas_.push_clip(area); }
  ~ClipScope() { canvas_.pop_clip(); }
  ClipScope(const ClipScope&) = delete;
  ClipScope& operator=(const ClipScope&) = delete;

 private:
  Canvas& canvas_;
};

Range about_its_middle(Range range, double width) {
  const double middle = range.low + range.width() / 2;
  return {middle - width / 2, middle + width / 2};
}

// Side of a grid's cells, taking the positions for a full grid with about as many rows as columns.
double estimated_cell(std::span<const Point> at) {
  Range x;
  Range y;
  for (const Point& p : at) {
    x.include(p.x);
    y.include(p.y);
  }
  const double gaps = std::max(1.0, std::sqrt(static_cast<double>(at.size())) - 1);
  return std::sqrt(std::max(0.0, x.width()) * std::max(0.0, y.width())) / gaps;
}

double longest_of(std::span<const Point> vectors) {
  double longest = 0;
  for (const Point& v : vectors) {
    const double length = std::hypot(v.x, v.y);
    if (std::isfinite(length)) longest = std::max(longest, length);
  }
  return longest;
}

// Inside, or outside by no more than rounding.
bool within(Range range, double value) {
  const double t = range.fraction(value);
  return t >= -1e-6 && t <= 1 + 1e-6;
}

// A frame's line covers whole pixels only when it runs through their middles.
double to_pixel_middle(double position) {
  return std::floor(position) + 0.5;
}

}  // namespace

Panel::Panel(Canvas& canvas, Rect area, Range x, Range y, PanelOptions options)
    : canvas_(canvas), x_(widened(x)), y_(widened(y)), options_(std::move(options)) {
  const bool usable = area.width >= 1 && area.height >= 1 && std::isfinite(area.x) &&
                      std::isfinite(area.y) && std::isfinite(area.width) &&
                      std::isfinite(area.height);
  if (!usable) {
    throw Error(ErrorKind::usage,
                fmt::format("a panel of {} by {} pixels cannot be drawn", area.width, area.height),
                "make the figure larger or its margins smaller");
  }
  area_ = {to_pixel_middle(area.x), to_pixel_middle(area.y), std::round(area.width),
           std::round(area.height)};
  if (options_.aspect == Aspect::equal) {
    const double unit = std::max(x_.width() / area_.width, y_.width() / area_.height);  // per pixel
    x_ = about_its_middle(x_, unit * area_.width);
    y_ = about_its_middle(y_, unit * area_.height);
  }
  std::erase_if(options_.x_ticks, [this](const Tick& tick) { return !within(x_, tick.at); });
  std::erase_if(options_.y_ticks, [this](const Tick& tick) { return !within(y_, tick.at); });
  if (options_.grid_lines) draw_grid_lines();
}

void Panel::draw_grid_lines() {
  for (const Tick& tick : options_.x_ticks) {
    if (tick.label.empty()) continue;
    const double at = to_canvas({tick.at, 0}).x;
    canvas_.line({at, area_.y}, {at, area_.bottom()}, {.colour = kFaint});
  }
  for (const Tick& tick : options_.y_ticks) {
    if (tick.label.empty()) continue;
    const double at = to_canvas({0, tick.at}).y;
    canvas_.line({area_.x, at}, {area_.right(), at}, {.colour = kFaint});
  }
}

Point Panel::to_canvas(Point world) const {
  return {area_.x + x_.fraction(world.x) * area_.width,
          area_.bottom() - y_.fraction(world.y) * area_.height};
}

void Panel::points(std::span<const Point> at, double radius, Colour fill) {
  Polyline seen;
  for (const Point& world : at) {
    const Point p = to_canvas(world);
    const bool inside = p.x > area_.x - radius && p.x < area_.right() + radius &&
                        p.y > area_.y - radius && p.y < area_.bottom() + radius;
    if (inside) seen.push_back(p);
  }
  const ClipScope clip(canvas_, area_);
  canvas_.dots(seen, radius, fill);
}

void Panel::stars(std::span<const Point> at, double radius, Colour fill, const Stroke& edge) {
  const ClipScope clip(canvas_, area_);
  for (const Point& world : at) canvas_.star(to_canvas(world), radius, fill, edge);
}

void Panel::path(std::span<const Point> along, const Stroke& stroke) {
  Polyline line;
  line.reserve(along.size());
  for (const Point& world : along) line.push_back(to_canvas(world));
  const ClipScope clip(canvas_, area_);
  canvas_.polyline(line, stroke);
}

void Panel::polygon(std::span<const Point> corners, Colour fill) {
  Polyline shape;
  for (const Point& world : corners) shape.push_back(to_canvas(world));
  const ClipScope clip(canvas_, area_);
  canvas_.polygon(shape, fill);
}

void Panel::arrows(std::span<const Point> at, std::span<const Point> vectors,
                   const ArrowFieldStyle& style) {
  if (at.size() != vectors.size()) {
    throw Error(
        ErrorKind::usage,
        fmt::format("an arrow field has {} positions and {} vectors", at.size(), vectors.size()),
        "give one vector for each position");
  }
  double cell = style.cell > 0 ? style.cell : estimated_cell(at);
  if (!(cell > 0)) cell = x_.width() / 10;
  const double full = style.reach * cell * area_.width / x_.width();  // pixels
  const double strongest = style.strongest > 0 ? style.strongest : longest_of(vectors);
  if (!(strongest > 0)) return;

  Polyline tails;
  Polyline tips;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const double strength = std::min(1.0, std::hypot(vectors[k].x, vectors[k].y) / strongest);
    const double length =
        full * (style.length == ArrowLength::root ? std::sqrt(strength) : strength);
    // The direction as it looks on the canvas: y turns around, and a free aspect stretches.
    const double dx = vectors[k].x / x_.width() * area_.width;
    const double dy = -vectors[k].y / y_.width() * area_.height;
    const double size = std::hypot(dx, dy);
    if (!(size > 0) || !std::isfinite(size)) continue;
    const Point centre = to_canvas(at[k]);
    const Point half{dx / size * length / 2, dy / size * length / 2};
    tails.push_back({centre.x - half.x, centre.y - half.y});
    tips.push_back({centre.x + half.x, centre.y + half.y});
  }
  const ClipScope clip(canvas_, area_);
  canvas_.arrows(tails, tips, style.arrow);
}

void Panel::heat_map(const Grid& grid, const ColourMap& map, Range values) {
  check(grid);
  if (grid.nx < 2 || grid.ny < 2) return;
  // Only the visible part is shaded, one value per pixel: the cost does not depend on how far the
  // grid reaches.
  const Range x{std::max(x_.low, grid.x.low), std::min(x_.high, grid.x.high)};
  const Range y{std::max(y_.low, grid.y.low), std::min(y_.high, grid.y.high)};
  if (!(x.width() > 0 && y.width() > 0)) return;
  const Point top_left = to_canvas({x.low, y.high});
  const Point bottom_right = to_canvas({x.high, y.low});
  const Rect rect{top_left.x, top_left.y, bottom_right.x - top_left.x, bottom_right.y - top_left.y};
  const int width = std::max(1, static_cast<int>(std::lround(rect.width)));
  const int height = std::max(1, static_cast<int>(std::lround(rect.height)));
  const ClipScope clip(canvas_, area_);
  canvas_.image(rect, shade(grid, x, y, width, height, map, values));
}

void Panel::contours(const Grid& grid, std::span<const double> levels, const Stroke& stroke) {
  for (const double level : levels) {
    for (const Polyline& line : contour_lines(grid, level)) path(line, stroke);
  }
}

void Panel::frame() {
  canvas_.outline(area_, {.colour = kRule});
  draw_ticks();
  draw_words();
}

void Panel::draw_ticks() {
  const Stroke mark{.colour = kRule};
  TextStyle label = kTickLabel;
  label.align = Align::centre;
  for (const Tick& tick : options_.x_ticks) {
    const double at = to_canvas({tick.at, 0}).x;
    canvas_.line({at, area_.bottom()}, {at, area_.bottom() + length_of(tick)}, mark);
    canvas_.text({at, area_.bottom() + kTickLength + 12}, tick.label, label);
  }
  label.align = Align::right;
  label.max_width = kMostTickLabel;
  for (const Tick& tick : options_.y_ticks) {
    const double at = to_canvas({0, tick.at}).y;
    canvas_.line({area_.x - length_of(tick), at}, {area_.x, at}, mark);
    canvas_.text({area_.x - kTickLength - 4, at + 4}, tick.label, label);
  }
}

void Panel::draw_words() {
  const Point middle = area_.centre();
  const double top = area_.y;
  const auto fitting = [](TextStyle style, double room) {
    style.max_width = room;
    return style;
  };
  const double title_lift = options_.subtitle.empty() ? 10 : 10 + kSubtitleRoom;
  canvas_.text({middle.x, top - title_lift}, options_.title, fitting(kTitle, area_.width));
  canvas_.text({middle.x, top - 9}, options_.subtitle, fitting(kSubtitle, area_.width));

  const double below = options_.x_ticks.empty() ? 0 : kTickRoom;
  canvas_.text({middle.x, area_.bottom() + below + 16}, options_.x_label,
               fitting(kAxisLabel, area_.width));
  TextStyle upright = fitting(kAxisLabel, area_.height);
  upright.rotation = 90;
  const double left = std::max(area_.x - widest_y_label() - 10, upright.size);  // on the canvas
  canvas_.text({left, middle.y}, options_.y_label, upright);
}

double Panel::widest_y_label() const {
  double widest = 0;
  for (const Tick& tick : options_.y_ticks)
    widest = std::max(widest, std::min(text_width(tick.label, kTickLabel), kMostTickLabel));
  return options_.y_ticks.empty() ? 0 : widest + kTickLength + 4;
}

}  // namespace eqm::draw
