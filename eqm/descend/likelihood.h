// The density that a flow gives to data. Along dx/dt = v(x, t) the logarithm of the density changes
// by -∇·v dt; so from a state at t = 1 the flow is followed back to the noise it comes from, and
//   ln p(x) = ln N(x(0); 0, 1) - ∫₀¹ ∇·v dt.
// State and integral are one state of d + 1 numbers to the engine, whose integrators and error
// control they share.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "eqm/descend/engine.h"
#include "eqm/landscape/divergence.h"
#include "eqm/landscape/objective_kind.h"

namespace eqm {

struct LikelihoodOptions {
  double atol = 1e-5, rtol = 1e-5;  // of dopri5
  // Signs per state for Hutchinson's estimate, the same all the way; 0: the exact divergence.
  int64_t probes = 1;
  uint64_t seed = 0;         // of the probes
  int64_t first_sample = 0;  // state i has the probes of sample first_sample + i
  int64_t capacity = 0;      // states at once; 0 lets the engine choose
  // Asked after every tick; false cancels what is left.
  std::function<bool(const EngineCounts&)> go_on = {};
};

struct Likelihood {
  double log_density = 0;  // nats, of the state; not a number where it was not reached
  double log_noise = 0;    // ln N(x(0); 0, 1)
  double volume = 0;       // ∫ ∇·v dt
  int64_t evaluations = 0;
};

// Refuses, by a usage error, models that are no flows: a landscape is descended to its bottom, and
// carries no density there.
void require_flow(ObjectiveKind kind);

// `flow` answers minus the velocity, as models do; x [n, ...] are states in its precision, labels
// [n] int64 or undefined.
std::vector<Likelihood> likelihoods(const DifferentiableField& flow, const Tensor& x,
                                    const Tensor& labels, const LikelihoodOptions& options);

}  // namespace eqm
