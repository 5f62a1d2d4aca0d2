// The picture of a plane study: Flow Matching's velocity at several times beside the one
// equilibrium landscape, with particles on their way; below, what came out.
#pragma once

#include "eqm/draw/canvas.h"
#include "eqm/plane/study.h"

namespace eqm {

draw::Canvas draw_plane(const PlaneStudy& study);

}  // namespace eqm
