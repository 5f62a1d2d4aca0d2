// Where each layer of a U-Net stands and how wide it is. The network, the shapes of its weights and
// what they cost all follow from this list.
#pragma once

#include <vector>

#include "eqm/backbone/unet.h"
#include "eqm/backbone/weight_shapes.h"

namespace eqm {

enum class UnetPart { first, residual, attention, resample };
enum class UnetResize { none, down, up };

struct UnetPlace {
  UnetPart part = UnetPart::residual;
  int64_t in = 0, out = 0;  // channels
  UnetResize resize = UnetResize::none;
  int64_t factor = 1;  // how often smaller than the state its input is
};

struct UnetLayout {
  using Block = std::vector<UnetPlace>;

  std::vector<Block> down;  // each leaves its output to a block of the way up
  Block middle;
  std::vector<Block> up;
  int64_t last = 0;  // channels at the end
};

UnetLayout unet_layout(const UnetConfig& config);

// Every parameter, by name.
ShapesInOrder unet_weight_shapes(const UnetConfig& config);

// Heads of an attention over so many channels.
int64_t unet_heads(const UnetConfig& config, int64_t channels);

}  // namespace eqm
