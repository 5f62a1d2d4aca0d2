// Pictures that are too large to be computed at once, in overlapping tiles that fade into each
// other.
#pragma once

#include <functional>

#include "eqm/tensor/torch.h"

namespace eqm {

struct Tiling {
  int64_t side = 0;     // of a tile, in pixels of the input
  int64_t overlap = 0;  // of neighbours, less than the side
  int64_t align = 1;    // tiles begin at multiples of this, which `side` is, too
};

// `function` maps [n, C, h, w] to [n, D, h * up / down, w * up / down]. It is given every tile of x
// [n, C, H, W]; what it makes of them is put together, weighted from 0 to 1 over the overlaps.
Tensor in_tiles(const Tensor& x, const Tiling& tiling, int64_t up, int64_t down,
                const std::function<Tensor(const Tensor&)>& function);

}  // namespace eqm
