// Pictures as Inception is shown them. Features differ between the two conventions: a FID means
// something only together with its own.
#pragma once

#include "eqm/base/names.h"
#include "eqm/tensor/torch.h"

namespace eqm {

enum class InceptionConvention {
  // x/255, bilinear to 299x299 with half-pixel centres and without antialiasing, then 2x - 1.
  pytorch_fid,
  // TensorFlow 1's graph, which ADM's evaluator runs: bilinear to 299x299 from the source position
  // i·(size/299), neighbours past the edge taken from the edge; then (x - 128)/128.
  adm,
};

const Names<InceptionConvention>& inception_convention_names();

// pixels [n, C, H, W] from 0 to 255, grey or colour, of any size; the result [n, 3, 299, 299]. Kind
// input for other channels.
Tensor inception_input(const Tensor& pixels, InceptionConvention convention,
                       const torch::TensorOptions& type);

}  // namespace eqm
