// The configuration of each backbone for a wish: its preset, changed as asked, for states and
// classes of the data. An error where the network cannot learn such states.
#pragma once

#include "eqm/backbone/convnet.h"
#include "eqm/backbone/kinds.h"
#include "eqm/backbone/mlp.h"
#include "eqm/backbone/sit.h"
#include "eqm/backbone/unet.h"

namespace eqm {

SitConfig sit_config_for(const BackboneWish& wish);
UnetConfig unet_config_for(const BackboneWish& wish);
MlpConfig mlp_config_for(const BackboneWish& wish);
ConvNetConfig convnet_config_for(const BackboneWish& wish);

}  // namespace eqm
