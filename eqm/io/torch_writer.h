// Writes tensors by name as torch.save writes a state dictionary (the zip format, since PyTorch
// 1.6): an OrderedDict of contiguous CPU tensors, which torch.load also takes with weights_only.
// torch_file.h reads it back.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "eqm/io/safetensors_writer.h"

namespace eqm {

// `attributes` become attributes of the dictionary, which load_state_dict() does not see. Atomic
// (see AtomicFile). Kind usage, before anything is written, for a name that comes twice or is not
// UTF-8, a type that PyTorch has no storage for, and bytes that disagree with the shape.
void write_torch_file(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& attributes = {});

}  // namespace eqm
