// What the canvas's two source files share about cairo: ownership, error checks, pens and fonts.
// Private to this folder; cairo's own header stays in the .cpp files.
#pragma once

#include <memory>
#include <string>

#include "eqm/draw/canvas.h"

struct _cairo_surface;  // NOLINT(bugprone-reserved-identifier)

namespace eqm::draw {

// Cairo's image surfaces end here.
inline constexpr int kLargestSide = 32767;

// Cairo computes in 24.8 fixed point, which wraps beyond 8 million pixels.
inline constexpr double kFarthest = 1e6;

// Finite, not inside out and not too far away.
bool drawable(Rect rect);

using Context = std::unique_ptr<_cairo, void (*)(_cairo*)>;
using Surface = std::unique_ptr<_cairo_surface, void (*)(_cairo_surface*)>;

// Take over a surface fresh from cairo, or throw Error(internal) if cairo could not make it.
Surface own(_cairo_surface* raw);
Context context_on(const Surface& surface);

// Throw Error(internal) if anything went wrong since the object was made; cairo remembers its first
// failure.
void require_success(_cairo* cairo);
void require_success(_cairo_surface* surface);

void set_colour(_cairo* cairo, Colour colour);
void set_stroke(_cairo* cairo, const Stroke& stroke);
void set_font(_cairo* cairo, const TextStyle& style);

double advance_of(_cairo* cairo, const std::string& text);

}  // namespace eqm::draw
