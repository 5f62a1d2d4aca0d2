// Which weights of a training checkpoint are meant.
#pragma once

namespace eqm {

enum class WeightsChoice {
  automatic,  // the average where there is one, else the weights
  ema,        // the moving average, which samples best
  model,      // the weights as trained
};

}  // namespace eqm
