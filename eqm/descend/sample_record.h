// What is known of a sample on its way and at its end.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "eqm/descend/state.h"

namespace eqm {

enum class DescentStatus {
  converged,  // the sample came to rest: its gradient is small enough
  plateau,    // its gradient, which had fallen, falls no further
  limit,      // the step limit came first
  arrived,    // the rule came to its end: an integrator at its last time, a landing
  diverged,   // a gradient that is not finite, or a state far away; x is the state before
  cancelled,
  expired,  // its deadline passed
  failed,   // its rule or callback threw, or the field did; the message says what
};

const char* name_of(DescentStatus status);

// Whether the sample came to an end of its own, whatever that was: not cancelled, expired or
// failed.
bool is_finished(DescentStatus status);

struct SampleRecord {
  int64_t steps = 0;        // updates
  int64_t evaluations = 0;  // of the field; a tick with several terms counts once
  // Of the last gradient evaluated, and the energy there; NaN where none was.
  double norm = std::numeric_limits<double>::quiet_NaN();
  double energy = std::numeric_limits<double>::quiet_NaN();
  DescentStatus status = DescentStatus::cancelled;  // until something else is known
  std::string message = {};                         // of a failed sample
};

// A sample at the beginning of a step.
struct Sight {
  int64_t step = 0;
  const State& x;
  double norm = 0;  // of the gradient at the probe
  double energy = 0;
};

struct Outcome {
  State x;
  SampleRecord record;
};

}  // namespace eqm
