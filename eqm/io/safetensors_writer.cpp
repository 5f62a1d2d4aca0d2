#include "eqm/io/safetensors_writer.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/safetensors_header.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// Data starts at a multiple of this in the file, so that a mapping is aligned for the widest type.
constexpr size_t kAlignment = 8;

[[noreturn]] void refuse(const std::string& problem, std::string hint) {
  throw Error(ErrorKind::usage, "cannot write safetensors: " + problem, std::move(hint));
}

void check(const NamedTensor& item) {
  const std::string name = in_quotes(item.name);
  if (item.name == kSafetensorsMetadataKey) {
    refuse("no tensor can be called " + name, "the format keeps this name for the metadata");
  }
  if (!is_utf8(item.name)) refuse("the name " + name + " is not UTF-8", "rename the tensor");
  if (item.tensor.shape.size() > kMaxTensorRank) {
    refuse(fmt::format("tensor {} has more than {} dimensions", name, kMaxTensorRank),
           "reshape the tensor");
  }
  const std::optional<uint64_t> wanted = byte_count(item.tensor.dtype, item.tensor.shape);
  if (!wanted || *wanted != item.tensor.bytes.size()) {
    refuse(fmt::format("tensor {} has {} bytes, which disagrees with its shape [{}] of {}", name,
                       item.tensor.bytes.size(), fmt::join(item.tensor.shape, ","),
                       name_of(item.tensor.dtype)),
           "make the tensor contiguous and hand over all of its bytes");
  }
}

void check(const std::vector<NamedTensor>& tensors,
           const std::map<std::string, std::string>& metadata) {
  std::set<std::string_view> names;
  for (const NamedTensor& item : tensors) {
    check(item);
    if (!names.insert(item.name).second) {
      refuse("the name " + in_quotes(item.name) + " comes twice", "give each tensor its own name");
    }
  }
  for (const auto& [key, value] : metadata) {
    if (!is_utf8(key) || !is_utf8(value)) {
      refuse("the metadata entry " + in_quotes(key) + " is not UTF-8", "metadata is text only");
    }
  }
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string header_of(const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::string header = "{";
  std::string_view separator;
  if (!metadata.empty()) {
    header += fmt::format("\"{}\":{}", kSafetensorsMetadataKey, nlohmann::json(metadata).dump());
    separator = ",";
  }
  uint64_t begin = 0;
  for (const NamedTensor& item : tensors) {
    const uint64_t end = begin + item.tensor.bytes.size();
    fmt::format_to(std::back_inserter(header),
                   R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", separator,
                   json_string(item.name), name_of(item.tensor.dtype),
                   fmt::join(item.tensor.shape, ","), begin, end);
    separator = ",";
    begin = end;
  }
  header += "}";
  header.resize((header.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return header;
}

std::string little_endian(uint64_t value) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::vector<NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  check(tensors, metadata);
  std::sort(tensors.begin(), tensors.end(), [](const NamedTensor& a, const NamedTensor& b) {
    if (a.tensor.dtype != b.tensor.dtype) return a.tensor.dtype > b.tensor.dtype;
    return a.name < b.name;
  });
  const std::string header = header_of(tensors, metadata);
  if (header.size() > kMaxSafetensorsHeader) {
    refuse(fmt::format("the header would have {} bytes; {} are allowed", header.size(),
                       kMaxSafetensorsHeader),
           "split the file or shorten the metadata");
  }
  AtomicFile file(path);
  file.write(little_endian(header.size()));
  file.write(header);
  for (const NamedTensor& item : tensors) file.write(item.tensor.bytes);
  file.commit();
}

}  // namespace eqm
