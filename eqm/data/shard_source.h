// A part of a source: every n-th example for one of n processes, or a range to hold out.
#pragma once

#include <cstdint>

#include "eqm/data/source.h"

namespace eqm {

// Examples k, k + n, k + 2n, ... for 0 <= k < n. Kind usage when none is left.
SourcePtr shard_source(SourcePtr inner, int64_t k, int64_t n);

// Examples [first, first + count). Kind usage when the range is empty or leaves the source.
SourcePtr range_source(SourcePtr inner, int64_t first, int64_t count);

}  // namespace eqm
