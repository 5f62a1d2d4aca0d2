#include "eqm/draw/canvas.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <cairo.h>
#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/draw/cairo_support.h"
#include "eqm/draw/utf8.h"

namespace eqm::draw {
namespace {

constexpr std::size_t kMostDotPaths = 1000;

bool drawable(Point p) {
  return std::abs(p.x) < kFarthest && std::abs(p.y) < kFarthest;
}

// `to`, or where the segment towards it leaves the drawable square; keeps the segment's direction.
Point pulled_back(Point from, Point to) {
  if (drawable(to)) return to;
  double share = 1;
  const auto limit = [&share](double start, double end) {
    if (std::abs(end) < kFarthest) return;
    share = std::min(share, (std::copysign(kFarthest, end) - start) / (end - start));
  };
  limit(from.x, to.x);
  limit(from.y, to.y);
  share = std::clamp(share, 0.0, 1.0);
  const auto place = [share](double start, double end) {
    return std::clamp(start + share * (end - start), -kFarthest, kFarthest);
  };
  return {place(from.x, to.x), place(from.y, to.y)};
}

}  // namespace

Canvas::Canvas(int width, int height) : width_(width), height_(height) {
  if (width < 1 || height < 1 || width > kLargestSide || height > kLargestSide) {
    throw Error(ErrorKind::usage,
                fmt::format("a canvas of {} by {} pixels cannot be drawn", width, height),
                fmt::format("each side lies between 1 and {} pixels", kLargestSide));
  }
}

void Canvas::line(Point from, Point to, const Stroke& stroke) {
  const Point ends[] = {from, to};
  polyline(ends, stroke);
}

void Canvas::polyline(std::span<const Point> points, const Stroke& stroke) {
  if (points.size() < 2 || !(stroke.width > 0)) return;
  commands_.push_back([line = Polyline(points.begin(), points.end()), stroke](cairo_t* cairo) {
    bool pen_down = false;
    for (std::size_t k = 1; k < line.size(); ++k) {
      const Point from = line[k - 1];
      const Point to = line[k];
      const bool visible = is_finite(from) && is_finite(to) && (drawable(from) || drawable(to));
      if (visible && !(pen_down && drawable(from))) {
        const Point start = pulled_back(to, from);
        cairo_move_to(cairo, start.x, start.y);
      }
      if (visible) {
        const Point end = pulled_back(from, to);
        cairo_line_to(cairo, end.x, end.y);
      }
      pen_down = visible;
    }
    set_stroke(cairo, stroke);
    cairo_stroke(cairo);
  });
}

void Canvas::fill_shapes(std::vector<Polyline> shapes, Colour fill) {
  std::erase_if(shapes, [](const Polyline& shape) {
    return shape.size() < 3 ||
           !std::all_of(shape.begin(), shape.end(), [](Point p) { return drawable(p); });
  });
  if (shapes.empty()) return;
  commands_.push_back([shapes = std::move(shapes), fill](cairo_t* cairo) {
    for (const Polyline& shape : shapes) {
      for (const Point& p : shape) cairo_line_to(cairo, p.x, p.y);
      cairo_close_path(cairo);
      cairo_new_sub_path(cairo);
    }
    set_colour(cairo, fill);
    cairo_fill(cairo);
  });
}

void Canvas::polygon(std::span<const Point> corners, Colour fill) {
  fill_shapes({Polyline(corners.begin(), corners.end())}, fill);
}

void Canvas::rectangle(Rect rect, Colour fill) {
  if (!drawable(rect)) return;
  commands_.push_back([rect, fill](cairo_t* cairo) {
    cairo_rectangle(cairo, rect.x, rect.y, rect.width, rect.height);
    set_colour(cairo, fill);
    cairo_fill(cairo);
  });
}

void Canvas::outline(Rect rect, const Stroke& stroke) {
  if (!drawable(rect) || !(stroke.width > 0)) return;
  commands_.push_back([rect, stroke](cairo_t* cairo) {
    cairo_rectangle(cairo, rect.x, rect.y, rect.width, rect.height);
    set_stroke(cairo, stroke);
    cairo_stroke(cairo);
  });
}

void Canvas::circle(Point centre, double radius, Colour fill) {
  dots({&centre, 1}, radius, fill);
}

void Canvas::dots(std::span<const Point> centres, double radius, Colour fill) {
  Polyline seen;
  std::copy_if(centres.begin(), centres.end(), std::back_inserter(seen),
               [](Point p) { return drawable(p); });
  if (seen.empty() || !(radius > 0) || radius > kFarthest) return;
  commands_.push_back([seen = std::move(seen), radius, fill](cairo_t* cairo) {
    // A line without length but with round ends is a dot, and far shorter in SVG than four curves.
    set_stroke(cairo, {.colour = fill, .width = 2 * radius});
    // Dealt out in turn, neighbours in the list still lie on different paths and darken each other.
    const std::size_t paths = std::min(seen.size(), kMostDotPaths);
    for (std::size_t path = 0; path < paths; ++path) {
      for (std::size_t k = path; k < seen.size(); k += paths) {
        cairo_move_to(cairo, seen[k].x, seen[k].y);
        cairo_line_to(cairo, seen[k].x, seen[k].y);
      }
      cairo_stroke(cairo);
    }
  });
}

void Canvas::star(Point centre, double radius, Colour fill, const Stroke& edge) {
  if (!drawable(centre) || !(radius > 0)) return;
  Polyline shape = star_outline(centre, radius);
  polygon(shape, fill);
  shape.push_back(shape.front());
  polyline(shape, edge);
}

void Canvas::arrow(Point tail, Point tip, const ArrowStyle& style) {
  arrows({&tail, 1}, {&tip, 1}, style);
}

void Canvas::arrows(std::span<const Point> tails, std::span<const Point> tips,
                    const ArrowStyle& style) {
  std::vector<Polyline> shapes;
  for (std::size_t k = 0; k < std::min(tails.size(), tips.size()); ++k) {
    shapes.push_back(arrow_outline(tails[k], tips[k], style));
  }
  fill_shapes(std::move(shapes), style.colour);
}

void Canvas::text(Point anchor, std::string_view text, const TextStyle& style) {
  if (text.empty() || !drawable(anchor) || !(style.size > 0)) return;
  commands_.push_back([anchor, text = printable_utf8(text), style](cairo_t* cairo) {
    set_font(cairo, style);
    double advance = advance_of(cairo, text);
    if (style.max_width > 0 && advance > style.max_width) {
      cairo_set_font_size(cairo, style.size * style.max_width / advance);
      advance = advance_of(cairo, text);
    }
    const double shift = style.align == Align::left ? 0 : style.align == Align::right ? 1 : 0.5;
    cairo_save(cairo);
    cairo_translate(cairo, anchor.x, anchor.y);
    cairo_rotate(cairo, -style.rotation * std::numbers::pi / 180);
    cairo_move_to(cairo, -shift * advance, 0);
    set_colour(cairo, style.colour);
    cairo_show_text(cairo, text.c_str());
    cairo_restore(cairo);
    cairo_new_path(cairo);
  });
}

void Canvas::push_clip(Rect rect) {
  ++open_clips_;
  commands_.push_back([rect](cairo_t* cairo) {
    cairo_save(cairo);
    if (drawable(rect)) {
      cairo_rectangle(cairo, rect.x, rect.y, rect.width, rect.height);
      cairo_clip(cairo);
    }
  });
}

void Canvas::pop_clip() {
  if (open_clips_ == 0) throw Error(ErrorKind::internal, "a clip is popped that was never pushed");
  --open_clips_;
  commands_.push_back([](cairo_t* cairo) { cairo_restore(cairo); });
}

}  // namespace eqm::draw
