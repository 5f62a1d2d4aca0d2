// Pictures of one size in rows and columns, with quiet labels: samples of a model, class by class,
// or stages of a descent. Every pixel of a picture is shown as a square of its own colour.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "eqm/draw/canvas.h"

namespace eqm::draw {

struct GridOptions {
  std::string title = {};
  int columns = 0;                              // 0: as many as column labels, else a square grid
  std::vector<std::string> row_labels = {};     // one per row, or none
  std::vector<std::string> column_labels = {};  // one per column, or none
  int gap = 4;                                  // pixels between pictures
  int zoom = 0;                                 // canvas pixels per picture pixel; 0: see grid_zoom
  // Lines of words below each picture; one entry per picture, or none at all.
  std::vector<std::vector<std::string>> captions = {};
};

// Pictures fill the grid row by row; the last row may end early. Error(usage) when there are none,
// when their sizes differ, or when the labels do not fit the grid.
Canvas image_grid(std::span<const Pixels> pictures, const GridOptions& options = {});

// The zoom that lets one see a small picture: about 112 pixels wide, less where so many columns or
// rows would make the figure larger than a screen, but no less than about 56. Pictures from 75
// pixels on are not enlarged.
int grid_zoom(int width, int height, int columns, int rows);

}  // namespace eqm::draw
