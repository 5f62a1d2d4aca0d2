#include "eqm/draw/cairo_support.h"

#include <cmath>

#include <cairo.h>
#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/draw/utf8.h"

namespace eqm::draw {
namespace {

void require(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(ErrorKind::internal,
              fmt::format("cairo failed to draw: {}", cairo_status_to_string(status)));
}

}  // namespace

bool drawable(Rect r) {
  return std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.width) &&
         std::isfinite(r.height) && std::abs(r.x) < kFarthest && std::abs(r.y) < kFarthest &&
         r.width >= 0 && r.height >= 0 && r.width < kFarthest && r.height < kFarthest;
}

Surface own(_cairo_surface* raw) {
  Surface surface(raw, cairo_surface_destroy);
  require_success(surface.get());
  return surface;
}

Context context_on(const Surface& surface) {
  Context context(cairo_create(surface.get()), cairo_destroy);
  require_success(context.get());
  return context;
}

void require_success(_cairo* cairo) {
  require(cairo_status(cairo));
}

void require_success(_cairo_surface* surface) {
  require(cairo_surface_status(surface));
}

void set_colour(_cairo* cairo, Colour c) {
  cairo_set_source_rgba(cairo, c.r, c.g, c.b, c.a);
}

void set_stroke(_cairo* cairo, const Stroke& stroke) {
  set_colour(cairo, stroke.colour);
  cairo_set_line_width(cairo, stroke.width);
  cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(cairo, stroke.dashes.data(), static_cast<int>(stroke.dashes.size()), 0);
}

void set_font(_cairo* cairo, const TextStyle& style) {
  // Without hinting, letters have the same places in pixels and in SVG, at every scale.
  const std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)> options(
      cairo_font_options_create(), cairo_font_options_destroy);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo, options.get());
  cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, style.size);
}

double advance_of(_cairo* cairo, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, text.c_str(), &extents);
  return extents.x_advance;
}

double text_width(std::string_view text, const TextStyle& style) {
  const Surface surface = own(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  const Context context = context_on(surface);
  set_font(context.get(), style);
  const double advance = advance_of(context.get(), printable_utf8(text));
  require_success(context.get());
  return advance;
}

}  // namespace eqm::draw
