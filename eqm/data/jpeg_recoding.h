// Pixels as they would be after JPEG at this size. Where data were once stored as JPEG, others that
// never were are told apart by its artefacts; this gives those to all. Pure functions.
#pragma once

#include "eqm/data/source.h"

namespace eqm {

// 4:2:0, `quality` from 1 to 100, in memory; label and shape stay. Kind usage for anything but
// bytes [1 or 3, H, W].
Example jpeg_recoded(const Example& pixels, int quality);

// The same of every example.
SourcePtr jpeg_recoded(SourcePtr source, int quality);

}  // namespace eqm
