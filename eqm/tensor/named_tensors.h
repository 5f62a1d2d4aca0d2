// Tensors by name, between memory and safetensors files: the weights of a model, their average, the
// memory of an optimiser.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eqm/io/safetensors.h"
#include "eqm/tensor/torch.h"

namespace eqm {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// Writes all tensors, in the precision they have, with the metadata.
void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                  const std::map<std::string, std::string>& metadata = {});

// The same number for the same names and values, on every machine and in any precision that holds
// the values: they are compared in float64.
uint64_t fingerprint_of(const NamedTensors& tensors);

// Copies the file's tensors into these, by name. Missing or unexpected names and wrong shapes throw
// an input error before anything is changed.
void load_tensors(const NamedTensors& tensors, const SafetensorsFile& file);

}  // namespace eqm
