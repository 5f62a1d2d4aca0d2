// Models as verbs use them.
#pragma once

#include <filesystem>
#include <string>

#include "eqm/landscape/model.h"

namespace eqm::app {

// The file of a model: one that is given by its path, by the run folder or checkpoint it is in, or
// by the name of one that comes with the program.
std::filesystem::path model_file(const std::string& what);

// The model of a file, run folder or checkpoint or name, on the device and in the precision of a
// run. No name is a usage error.
Model load_for(const std::string& what, const torch::TensorOptions& type);

}  // namespace eqm::app
