// States as pictures, for people and files.
#pragma once

#include <string>
#include <vector>

#include "eqm/io/image.h"
#include "eqm/landscape/scaling.h"

namespace eqm {

// States [n, C, H, W] as 8-bit images: grey for one channel, colour for three. Other channel counts
// (latents without a decoder) show their first three channels, stretched to the range they have.
std::vector<Image> pictures_of(const Tensor& states, const Scaling& scaling);

// A grid of states [rows * columns, C, H, W], row by row, with the rows' names at the left.
Image picture_grid(const Tensor& states, const Scaling& scaling, int64_t columns,
                   const std::vector<std::string>& row_names, const std::string& title);

}  // namespace eqm
