// Inpainting: some elements of a state are known, the others descend beside them. Whoever sets the
// known ones to their values at once shows the model a state that is noise in some places and data
// in others, which it has never seen. So they may also start as noise and come down with the rest:
// on the way x = γ v + (1-γ) ε to its value v the gradient of a known element is (ε - v) c(γ), and
// how far it has come is read off the known elements themselves,
// 1-γ = ‖x - v‖ / ‖x_start - v‖ over all of them. Those that start at their values stay there.
#pragma once

#include <vector>

#include "eqm/descend/course.h"
#include "eqm/landscape/magnitude.h"

namespace eqm {

struct HeldPart {
  State values;             // where the known elements end; elsewhere ignored
  std::vector<bool> known;  // one for each element
  Magnitude magnitude;      // c(γ) of the landscape; an equilibrium: not constant
};

// The rule with the gradient of known elements replaced. Whatever the rule makes of gradients
// (momentum, landing, stops by norm) it makes of these.
Rule held(Rule rule, HeldPart part);

// The state with its known elements at their values: what a descent that ended on the way is
// shown with.
State with_known(State x, const HeldPart& part);

}  // namespace eqm
