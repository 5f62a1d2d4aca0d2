// How long a descent of a landscape takes, from which automatic step sizes follow.
#pragma once

#include "eqm/landscape/magnitude.h"

namespace eqm {

// From noise to data along the ideal way: ∫ dγ/c(γ), because dγ/dt = c(γ). It is η times the number
// of steps. A constant c arrives after 1/λ. The others only come nearer and nearer: they are
// followed until so little is left that the paper's landscape takes 3/λ, which is its 250 steps of
// η = 0.003 at λ = 4.
double descent_time(const Magnitude& c);

}  // namespace eqm
