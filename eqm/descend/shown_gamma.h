// Models of the noise-conditioned objective are shown γ. On the way x = γ x₀ + (1-γ) ε their field
// is (ε - x₀) c(γ), so that a rule which moves x by a combination of gradients moves γ by the same
// combination of -c(γ); in time, dγ/dt = c(γ) along dx/dt = -∇E.
#pragma once

#include "eqm/descend/course.h"
#include "eqm/landscape/magnitude.h"

namespace eqm {

// The same rule over the pair (x, γ), from γ = 0: γ takes the steps, stages, momentum and error
// control of x, and none of its noise. What is shown is the γ of the probe, kept within [0, 1].
Rule with_gamma(Rule rule, const Magnitude& magnitude);

}  // namespace eqm
