// A source that keeps every decoded example, when all of them fit into a limit.
#pragma once

#include <cstdint>

#include "eqm/data/source.h"

namespace eqm {

// The memory is reserved at once but touched only as examples arrive. Readers never wait for each
// other: two that ask for the same new example both decode it, and one result is kept. Examples of
// an unusual layout and damaged ones are passed through each time. Above the limit the inner source
// itself is returned.
SourcePtr cache_source(SourcePtr inner, uint64_t byte_limit);

}  // namespace eqm
