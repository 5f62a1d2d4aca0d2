// Fixed tables of the SiT transformer.
#pragma once

#include "eqm/tensor/torch.h"

namespace eqm {

// 2-D sin-cos positions of a grid x grid raster, row-major: [grid*grid, width], width % 4 == 0. The
// first half encodes the column, the second the row; each half is [sin(pos*w), cos(pos*w)] with w_k
// = 10000^(-k / (width/4)).
Tensor position_table(int64_t width, int64_t grid);

// Sinusoidal features of time: [cos(t*f_k), sin(t*f_k)], f_k = exp(-ln(10000) k / half); t is not
// scaled. An odd width ends with a zero. t [B] -> [B, width], in t's precision.
Tensor time_features(const Tensor& t, int64_t width);

}  // namespace eqm
