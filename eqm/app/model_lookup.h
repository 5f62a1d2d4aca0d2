// Models as uses find them.
#pragma once

#include <filesystem>
#include <string>

#include "eqm/base/log.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

// The file of a model: one that is given by its path, by the run folder or checkpoint it is in, or
// by the name of one that comes with the program.
std::filesystem::path model_file(const std::string& what);

// The model of a file, run folder or checkpoint or name, on the device and in the precision of a
// run. No name is a usage error.
Model load_for(const std::string& what, const torch::TensorOptions& type);

// What the option {model} of a use that may take the shipped model says of itself.
inline constexpr const char* kModelHelp =
    "a model file, a run folder or a checkpoint; the shipped fashion-xs4 where none is given";

// The model that was given, or else the file of the shipped one, which is logged; kind
// usage where that is not found.
std::string given_or_shipped_model(const std::string& given, Logger& log);

}  // namespace eqm::app
