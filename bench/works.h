// What is measured.
#pragma once

#include <vector>

#include "bench/compare.h"

namespace eqm::bench {

std::vector<NamedWork> operator_works();  // each operator, forward and backward
std::vector<NamedWork> step_works();      // forwards, training steps, sampling ticks
std::vector<NamedWork> sweep_works();     // forwards over batch, tokens and width

}  // namespace eqm::bench
