// How much memory a 2-D study takes at its peak, estimated before it starts.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/plane/options.h"
#include "eqm/tensor/torch.h"

namespace eqm {

// All in bytes. Training, descending and measuring follow each other; weights and paths stay.
struct PlaneFootprint {
  double weights = 0;    // with gradients, moments and averages
  double training = 0;   // what a step keeps for its backward pass
  double descent = 0;    // of all samples at once
  double measuring = 0;  // projections of data and samples, sorted
  double paths = 0;      // recorded and drawn

  double total() const;
  std::string remedy() const;  // a hint at the options behind the largest part
};

// `points` is the size of the training set.
PlaneFootprint footprint_of(const PlaneOptions& options, int64_t points,
                            const torch::TensorOptions& type);

}  // namespace eqm
