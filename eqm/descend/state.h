// One sample's state as the rules see it: plain numbers in double precision on the host. Next to an
// evaluation of the field a step costs nothing, so that every sample can have a rule of its own,
// on any device, and formulas can be written as they are printed.
#pragma once

#include <valarray>

namespace eqm {

using State = std::valarray<double>;

double norm(const State& x);  // Euclidean
double dot(const State& x, const State& y);

// Whether every number is finite and stays so in float32, which is what most fields compute in.
bool is_finite(const State& x);

}  // namespace eqm
