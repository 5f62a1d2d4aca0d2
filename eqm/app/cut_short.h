// Integrators that {limit} ended before their time was over: their samples are still noise in part.
#pragma once

#include <cstdint>

#include "eqm/base/log.h"
#include "eqm/descend/options.h"

namespace eqm::app {

// Warns where samples of an integrator ended at the limit without a {horizon} that asks for that,
// which only one that chooses its steps itself (dopri5) can.
void warn_of_cut_short(const DescentOptions& descent, const Objective& objective,
                       int64_t at_the_limit, int64_t samples, Logger& log);

}  // namespace eqm::app
