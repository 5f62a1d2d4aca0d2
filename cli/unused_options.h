// Options of the descent that were given and that its rule does nothing with.
#pragma once

#include "eqm/base/log.h"
#include "eqm/descend/options.h"

namespace eqm::cli {

// Not for sweeps and recipes, where they may be meant for other points and other runs.
void warn_of_unused(const DescentOptions& descent, const Objective& objective, Logger& log);

}  // namespace eqm::cli
