// The figures of a landscape as a table for people.
#pragma once

#include <string>

#include "eqm/app/landscape.h"

namespace eqm::app {

// A line for each objective, for fresh data and for noise. `options` are those of the result.
std::string landscape_table(const LandscapeResult& result, const LandscapeOptions& options);

}  // namespace eqm::app
