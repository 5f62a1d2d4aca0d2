// Weights by name, between a backbone and a safetensors file.
#pragma once

#include <map>
#include <string>

#include "eqm/backbone/backbone.h"
#include "eqm/io/safetensors.h"

namespace eqm {

// Copies every parameter from the file by name. Missing or unexpected names and wrong shapes throw
// an input error before anything is changed.
void load_weights(Backbone& backbone, const SafetensorsFile& file);

// Writes all parameters (in the precision they have) with the metadata.
void save_weights(const Backbone& backbone, const std::map<std::string, std::string>& metadata,
                  const std::filesystem::path& path);

}  // namespace eqm
