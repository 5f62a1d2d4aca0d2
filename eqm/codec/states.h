// Between what data sets hold and the states a model sees.
#pragma once

#include "eqm/data/batch.h"
#include "eqm/landscape/scaling.h"

namespace eqm {

// The examples of a batch as states.
Tensor states_of(const Batch& batch, const Scaling& scaling, const torch::TensorOptions& type);

// States [n, C, H, W] of images as the bytes that a picture of them holds, in the same layout.
Tensor bytes_of(const Tensor& states, const Scaling& scaling);

}  // namespace eqm
