// A path between two states along which a landscape is crossed where it is lowest, as a chain of
// points: the simplified string method (E, Ren, Vanden-Eijnden 2007). Every inner point takes a
// step down across the path, then the points are spread evenly along it again; the ends stay. At
// rest the gradient has no part across the path, which is what a minimum-energy path is. Gradients
// suffice, so that fields without an explicit energy have such paths, too.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "eqm/descend/evaluation.h"

namespace eqm {

struct EnergyPathOptions {
  double eta = 0.02;
  int64_t steps = 200;
  // Ends earlier where no point moves more than this in a step, in units of the distance between
  // points.
  double rest = 1e-3;
  std::function<bool(int64_t step)> go_on = {};  // asked before each step; false ends it
};

struct EnergyPath {
  std::vector<State> points;     // the ends included
  std::vector<double> energies;  // of each; not numbers where the field has none
  std::vector<double> norms;     // of the whole gradient at each
  std::vector<double> across;    // of its part across the path; 0 at the ends
  int64_t steps = 0;             // taken
  bool rests = false;            // it came to rest before the steps ran out
};

// From a first path of at least three points of the field's states; terms[i] is what the landscape
// of point i is made of (terms.h), one for each. `shape` and `type` are those of states.
EnergyPath minimum_energy_path(const Field& field, const Shape& shape,
                               const torch::TensorOptions& type, std::vector<State> path,
                               const std::vector<Terms>& terms, const EnergyPathOptions& options);

// `count` points at equal distances along the path of straight pieces, its ends included.
std::vector<State> spread_evenly(const std::vector<State>& path, size_t count);

// The straight line, ends included.
std::vector<State> straight_path(const State& from, const State& to, size_t count);

// Between two states along the arc, as suits noise, whose norm hardly varies: the length goes
// evenly from one norm to the other. Straight where the two are (nearly) parallel.
State slerp(const State& from, const State& to, double t);

}  // namespace eqm
