// A grid of values as a smooth picture.
#pragma once

#include "eqm/draw/canvas.h"
#include "eqm/draw/colour.h"
#include "eqm/draw/geometry.h"

namespace eqm::draw {

// The grid's value at p, bilinear between the nodes; not a number outside the grid and in cells
// with a corner that is not finite.
double interpolate(const Grid& grid, Point p);

// `width` by `height` pixels over the window x, y (world coordinates). `values` spans the colour
// map; what lies outside takes the end colours, what is not a number stays transparent.
Raster shade(const Grid& grid, Range x, Range y, int width, int height, const ColourMap& map,
             Range values);

}  // namespace eqm::draw
