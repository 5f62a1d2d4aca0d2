// Contour lines of a grid by marching squares: in every cell the level's crossings of its four
// sides are found by linear interpolation and joined; segments of neighbouring cells meet in the
// same crossing and form lines.
#pragma once

#include <vector>

#include "eqm/draw/geometry.h"

namespace eqm::draw {

// The lines on which the grid's values equal `level`. A closed line repeats its first point at the
// end; others end at the border of the grid or at a cell with a value that is not finite. In a
// saddle cell the mean of the corners decides which corners belong together.
std::vector<Polyline> contour_lines(const Grid& grid, double level);

// `count` levels that cut the grid's finite values into even steps, without the extremes
// themselves.
std::vector<double> even_levels(const Grid& grid, int count);

}  // namespace eqm::draw
