// Two-dimensional data sets for studying landscapes. Point i is a pure function of (set, seed, i),
// so any size and any part of a set can be had at any time. All fit the square [-1.2, 1.2]².
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "eqm/base/names.h"
#include "eqm/tensor/torch.h"

namespace eqm {

enum class PlaneSet {
  two_points,
  eight_gaussians,
  moons,
  circles,
  spirals,
  pinwheel,
  checkerboard
};

const Names<PlaneSet>& plane_set_names();

// Points first, first+1, ...: [count, 2], float64.
Tensor plane_points(PlaneSet set, uint64_t seed, int64_t first, int64_t count);

}  // namespace eqm
