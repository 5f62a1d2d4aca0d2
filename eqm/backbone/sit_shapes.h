// A SiT told from the names and shapes of its weights, without building it.
#pragma once

#include "eqm/backbone/sit.h"
#include "eqm/backbone/weight_shapes.h"

namespace eqm {

// Every parameter of a checked configuration, by name.
ShapesInOrder sit_weight_shapes(const SitConfig& config);

// The configuration whose weights these are. An input error for weights of something else, with the
// first name or shape that does not fit; a usage error when the heads must be given.
SitConfig sit_config_from_shapes(const WeightShapes& shapes, const ShapeHints& hints);

}  // namespace eqm
