// Examples in a safetensors file: pixels u8 [n, C, H, W], or states f32, f16 or bf16 [n, ...] such
// as latents or their posteriors. The file is mapped; half types become f32 as examples are asked
// for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "eqm/data/source.h"

namespace eqm {

class SafetensorsFile;

// Whether it has a tensor of one of the names that examples have; open_tensor_source() says whether
// that holds any.
bool names_examples(const SafetensorsFile& file);

// The examples are the tensor "x", "images", "latents" or "posteriors" (means and log-variances
// side by side on the second axis; with the metadata "views" of "2" followed by those of mirrored
// pictures); the labels, if any, the integer tensor "labels" [n]; their names the metadata
// "class_names", a JSON list of strings, or else numbers. `checksum` is that of the file, where one
// is on record: with it, opening reads no examples.
SourcePtr open_tensor_source(const std::filesystem::path& path,
                             std::optional<uint64_t> checksum = {});

}  // namespace eqm
