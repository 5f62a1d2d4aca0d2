// Writes safetensors files. The bytes depend on the content only: tensors are ordered as the
// reference library orders them (widest element type first, then by name, which keeps each
// aligned), metadata by key.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "eqm/io/tensor_view.h"

namespace eqm {

struct NamedTensor {
  std::string name;
  TensorView tensor;  // its bytes must stay alive during the call
};

// Atomic (see AtomicFile); the order of `tensors` does not matter. Kind usage, before anything is
// written, for a name that comes twice, is "__metadata__" or not UTF-8, and for bytes that disagree
// with the shape.
void write_safetensors(const std::filesystem::path& path, std::vector<NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace eqm
