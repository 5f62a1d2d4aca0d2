// Random changes to examples, as pure functions of (seed, epoch, index): the same for any number of
// threads and after any restart.
#pragma once

#include <cstdint>

#include "eqm/data/source.h"

namespace eqm {

// Whether the example is mirrored in this epoch: one half of all are.
bool is_flipped(uint64_t seed, int64_t epoch, int64_t index);

// Mirrors left and right: reverses the last axis of [C, H, W]. Kind usage for another rank.
void flip_horizontally(Example& example);

// Of several posteriors keeps that of the picture or of its mirror image; other examples stay as
// they are. Kind internal when it has no such posterior.
void keep_one_view(Example& example, bool mirrored);

}  // namespace eqm
