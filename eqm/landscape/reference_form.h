// A model as the reference implementation's module holds it.
#pragma once

#include "eqm/landscape/model.h"

namespace eqm {

// Gives the network the reference's sign, by turning over its last layer, and says so in the model:
// its field stays the same. Nothing to do for models that came from there. A usage error for
// networks that the reference has not.
void give_reference_sign(Model& model);

}  // namespace eqm
