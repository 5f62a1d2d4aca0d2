// What is measured.
#pragma once

#include <vector>

#include "bench/compare.h"

namespace eqm::bench {

std::vector<Work> operator_works();  // each operator, forward and backward
std::vector<Work> step_works();      // forwards, training steps, sampling ticks
std::vector<Work> sweep_works();     // forwards over batch, tokens and width

}  // namespace eqm::bench
