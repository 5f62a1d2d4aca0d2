// Several sources one behind the other.
#pragma once

#include <vector>

#include "eqm/data/source.h"

namespace eqm {

// All must have the same class names; kind input otherwise.
SourcePtr join_source(std::vector<SourcePtr> parts);

}  // namespace eqm
