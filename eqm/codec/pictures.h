// States as pictures, for people and files.
#pragma once

#include <string>
#include <vector>

#include "eqm/codec/codec.h"
#include "eqm/draw/image_grid.h"
#include "eqm/io/image.h"

namespace eqm {

// States [n, C, H, W] as 8-bit images: decoded where the codec has an autoencoder, else grey for
// one channel and colour for three. Other channel counts (latents without an autoencoder) show
// their first three channels, stretched to the range they have.
std::vector<Image> pictures_of(const Tensor& states, const Codec& codec);

// A grid of states [n, C, H, W], row by row.
Image picture_grid(const Tensor& states, const Codec& codec, const draw::GridOptions& options);

// With the rows' names at the left.
Image picture_grid(const Tensor& states, const Codec& codec, int64_t columns,
                   const std::vector<std::string>& row_names, const std::string& title);

}  // namespace eqm
