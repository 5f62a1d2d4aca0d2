// The layers a U-Net is put together from. Each takes an image [B, C, H, W] to the next.
#pragma once

#include <memory>

#include "eqm/backbone/initialise.h"
#include "eqm/backbone/layers.h"
#include "eqm/backbone/unet_layout.h"

namespace eqm {

// What one forward pass hands from layer to layer.
struct UnetPass {
  const Conditioning& conditioning;
  size_t next = 0;  // which residual block comes next
  double dropout = 0;

  const Tensor& modulation() { return conditioning[next++]; }          // [B, 2C]
  const Tensor& dropout_seeds() const { return conditioning.back(); }  // [B]; undefined: no dropout
};

class UnetLayer : public Scope {
 public:
  virtual Tensor apply(const Tensor& h, UnetPass& pass) const = 0;

  // What the condition does to this layer: [B, 2C]; undefined for layers without one. `active` is
  // SiLU of the embedded condition, [B, E], undefined for a network without condition.
  virtual Tensor modulation(const Tensor& /*active*/, int64_t /*batch*/) const { return {}; }

  virtual void initialise(Initialiser& fill) = 0;
};

std::shared_ptr<UnetLayer> make_unet_layer(const UnetConfig& config, const UnetPlace& place);

// As PyTorch draws convolutions and linear maps: uniform with the bound 1/sqrt(inputs).
void fill_as_torch(Initialiser& fill, const Tensor& weight, const Tensor& bias);

}  // namespace eqm
