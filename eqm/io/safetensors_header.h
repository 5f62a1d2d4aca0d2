// The JSON header of a safetensors file, checked for its grammar: known keys, types, ranges, no key
// twice. Whether the byte ranges fit the file is the reader's business. Internal to io; users want
// safetensors.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "eqm/io/tensor_view.h"

namespace eqm {

// What stands before the header: its length.
inline constexpr size_t kSafetensorsLengthBytes = 8;

// The same limit as the reference implementation. The largest models' headers stay below 10 MB; a
// longer one is a damaged length, and reading it as JSON would cost minutes and memory for nothing.
inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;

// LibTorch's limit. It also keeps a header of nothing but dimensions from growing eightfold in
// memory.
inline constexpr size_t kMaxTensorRank = 64;

// The key that holds the metadata, and so the one name a tensor cannot have.
inline constexpr std::string_view kSafetensorsMetadataKey = "__metadata__";

inline constexpr std::string_view kDamagedSafetensorsHint =
    "the file is damaged or not safetensors; download or export it again";

struct SafetensorsEntry {
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;
  std::array<uint64_t, 2>
      offsets{};  // begin and end, counted from the first byte behind the header
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::map<std::string, SafetensorsEntry> tensors;
};

// `json` is the header without its length; `file` is named in errors, which are of kind input.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& file);

}  // namespace eqm
