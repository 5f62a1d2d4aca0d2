// Models as verbs use them.
#pragma once

#include <string>

#include "eqm/landscape/model.h"

namespace eqm::cli {

// The model of a file, run folder or checkpoint, on the device and in the precision of a run. No
// name is a usage error.
Model load_for(const std::string& what, const torch::TensorOptions& type);

}  // namespace eqm::cli
