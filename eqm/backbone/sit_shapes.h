// A SiT determined from the names and shapes of its weights, without building it.
#pragma once

#include "eqm/backbone/sit.h"
#include "eqm/backbone/weight_shapes.h"

namespace eqm {

// The configuration whose weights these are. An input error for weights of something else, with the
// first name or shape that does not fit; a usage error when the heads must be given.
SitConfig sit_config_from_shapes(const WeightShapes& shapes, const ShapeHints& hints);

}  // namespace eqm
