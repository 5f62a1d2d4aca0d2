// Which pixels of a picture are missing and to be filled in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/tensor/torch.h"

namespace eqm::app {

struct FillMask {
  int64_t height = 0, width = 0;
  std::vector<bool> missing;  // [height, width]

  double share() const;  // of the pixels that are missing
};

// `text` is left, right, top, bottom or centre, with the share of the sides that is missing behind
// a colon ("left:0.3"; 0.5 without), or a picture of the given size, PNG or JPEG, that is bright
// where pixels are missing. Kind usage when nothing or everything would be missing.
FillMask read_fill_mask(const std::string& text, int64_t height, int64_t width);

// The elements of a state [C, h, w] that are known, where the mask is of its pictures, which may be
// larger by whole numbers: a latent is missing where any of its pixels is.
std::vector<bool> known_elements(const FillMask& mask, const Shape& state);

}  // namespace eqm::app
