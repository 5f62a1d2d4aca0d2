// Pictures with what lies nearest to them, for people to compare.
#pragma once

#include <string>
#include <vector>

#include "eqm/data/source.h"
#include "eqm/io/image.h"

namespace eqm::app {

struct CaptionedPicture {
  Example pixels;
  std::vector<std::string> caption;  // lines below it
};

struct NeighbourRow {
  std::string name;
  std::vector<CaptionedPicture> pictures;  // what was asked about, then its neighbours
};

// All rows have equally many pictures of one size. Shows as many rows and columns as a screen can
// scroll through.
Image neighbour_figure(const std::vector<NeighbourRow>& rows, const std::string& title);

}  // namespace eqm::app
