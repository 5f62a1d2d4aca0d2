// The picture of a plane study: Flow Matching's velocity at several times beside the one
// equilibrium landscape, with particles on their way; below, what came out.
#pragma once

#include "eqm/draw/canvas.h"
#include "eqm/plane/study.h"

namespace eqm {

draw::Canvas draw_plane(const PlaneStudy& study);

// A frame of an animation: the particles at a share of the way in [0, 1], over Flow Matching's
// velocity at that time (where there is one) and over the landscape. All frames are equally large.
draw::Canvas draw_plane_frame(const PlaneStudy& study, double share);

}  // namespace eqm
