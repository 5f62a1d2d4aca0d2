// Taking up a run where its folder says it was.
#pragma once

#include "eqm/base/log.h"
#include "eqm/train/checkpoint.h"
#include "eqm/train/run_folder.h"

namespace eqm {

// Loads the latest checkpoint that is whole, if there is any. Returns the damaged ones after it,
// which it warns of: the run must set them aside before it comes to where they are in its way. More
// steps than the run is to take are a usage error.
std::vector<Checkpoint> restore(TrainingState& state, const RunPaths& paths,
                                const RunIdentity& identity, int64_t steps, Logger& log);

// Removes a measurement's pictures of steps that will be taken again.
void remove_later_pictures(const RunPaths& paths, const std::string& name, int64_t step);

}  // namespace eqm
