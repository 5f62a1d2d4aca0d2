// The times between which an integrator steps from noise to data.
#pragma once

#include <cstdint>
#include <vector>

#include "eqm/base/names.h"

namespace eqm {

enum class TimeGrid {
  uniform,  // equal steps over [0, 1]
  edm,      // Karras et al. (2022): short steps near noise and data
};

const Names<TimeGrid>& time_grid_names();

// The steps + 1 times of EDM's grid, as the Flow Matching code base has it: of `steps` noise levels
// between σ = 80 and σ = 0.002, evenly spaced in σ^(1/7), t = 1/(1+σ); then t = 1. It begins at
// t = 1/81, where a state is taken for noise.
std::vector<double> edm_times(int64_t steps);

}  // namespace eqm
