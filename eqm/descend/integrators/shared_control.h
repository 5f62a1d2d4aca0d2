// A batch integrated as one state, as the reference does: an adaptive integrator then chooses one
// step size for all, and a sample's result depends on its neighbours. Offered only to compare.
#pragma once

#include <functional>
#include <vector>

#include "eqm/descend/course.h"

namespace eqm {

// The gradients of all rows, at one time.
using RowGradients = std::function<std::vector<State>(const std::vector<State>& rows, double t)>;

// One course of an integrator over the concatenated starts, all of one size; its end, by row. The
// noise, where the rule needs any, fills a concatenated state.
std::vector<State> integrate_shared(const Rule& rule, const std::vector<State>& starts,
                                    const RowGradients& gradients, const NoiseSource& noise = {});

// The parts, for those who drive the course themselves.
State join(const std::vector<State>& rows);
std::vector<State> split(const State& joined, size_t rows);

}  // namespace eqm
