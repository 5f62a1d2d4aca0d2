// The reference's networks emit twice the channels of a state, of which the second half, once meant
// for a variance, is dropped. Training begins with the half that is used.
#pragma once

#include <memory>

#include "eqm/backbone/backbone.h"

namespace eqm {

using BackbonePtr = std::shared_ptr<Backbone>;

// The same network without the outputs that it drops; the network itself where there are none.
BackbonePtr without_learned_sigma(const BackbonePtr& backbone);

}  // namespace eqm
