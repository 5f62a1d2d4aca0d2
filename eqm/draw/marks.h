// Outlines of markers in canvas pixels: pure geometry, filled by the canvas.
#pragma once

#include "eqm/draw/colour.h"
#include "eqm/draw/geometry.h"

namespace eqm::draw {

struct ArrowStyle {
  Colour colour = kInk;
  double width = 1;  // of the shaft
  double head = 5;   // length of the head; shrinks with arrows too short for it
};

// A five-pointed star with one point up; `radius` reaches to the points.
Polyline star_outline(Point centre, double radius);

// Shaft and head as one outline, so that a translucent arrow shows no seam. Empty for arrows too
// short to be seen or not finite.
Polyline arrow_outline(Point tail, Point tip, const ArrowStyle& style);

}  // namespace eqm::draw
