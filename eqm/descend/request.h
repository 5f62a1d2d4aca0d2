// One sample as the engine is asked for it: where it starts, which landscape it descends, by which
// rule and until when, and who receives the outcome.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "eqm/base/noise.h"
#include "eqm/descend/course.h"
#include "eqm/descend/sample_record.h"
#include "eqm/descend/stop_test.h"
#include "eqm/landscape/terms.h"

namespace eqm {

using Deadline = std::chrono::steady_clock::time_point;

struct Request {
  State start;
  Terms terms;
  Rule rule;
  StopTest stop;
  NoiseKey noise = {};  // whose seed and sample number the rule's noise has
  // The time shown at a step to a model that sees time; empty: the course's own. A field that
  // changes with time is no equilibrium: the norm then stops nothing.
  std::function<double(int64_t step)> clock = {};
  // Called on the thread that ticks; what it throws ends this sample as failed.
  std::function<void(const Sight&)> watch = {};
  // Called once, when the sample has ended; see Delivery for the thread.
  std::function<void(Outcome)> done = {};
  uint64_t client = 0;  // clients with waiting requests take turns
  std::optional<Deadline> deadline = {};
};

}  // namespace eqm
