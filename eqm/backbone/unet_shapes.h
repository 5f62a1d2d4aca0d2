// A U-Net determined from the names and shapes of its weights, without building it.
#pragma once

#include "eqm/backbone/unet.h"
#include "eqm/backbone/weight_shapes.h"

namespace eqm {

// Whether the names are those of a U-Net, whatever else may be wrong with them.
bool looks_like_unet(const WeightShapes& shapes);

// The configuration whose weights these are. An input error for weights of something else; a usage
// error when the heads must be given.
UnetConfig unet_config_from_shapes(const WeightShapes& shapes, const ShapeHints& hints);

}  // namespace eqm
