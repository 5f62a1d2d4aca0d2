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
#include "eqm/io/safetensors_header.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// Data starts at a multiple of this in the file, so that a mapping is aligned for the widest type.
constexpr size_t kAlignment = 8;

[[noreturn]] void refuse_tensor(const std::string& problem, std::string hint) {
  throw Error(ErrorKind::usage, "cannot write safetensors: " + problem, std::move(hint));
}

void check(const TensorSpec& item) {
  const std::string name = in_quotes(item.name);
  if (item.name == kSafetensorsMetadataKey) {
    refuse_tensor("no tensor can be called " + name, "the format keeps this name for the metadata");
  }
  if (!is_utf8(item.name)) refuse_tensor("the name " + name + " is not UTF-8", "rename the tensor");
  if (item.shape.size() > kMaxTensorRank) {
    refuse_tensor(fmt::format("tensor {} has more than {} dimensions", name, kMaxTensorRank),
                  "reshape the tensor");
  }
  if (!byte_count(item.dtype, item.shape)) {
    refuse_tensor(
        fmt::format("tensor {} has the impossible shape [{}]", name, fmt::join(item.shape, ",")),
        "dimensions are at least 0 and their product fits 63 bits");
  }
}

void check_bytes(const NamedTensor& item) {
  const TensorView& tensor = item.tensor;
  const std::optional<uint64_t> wanted = byte_count(tensor.dtype, tensor.shape);
  if (wanted && *wanted == tensor.bytes.size()) return;
  refuse_tensor(fmt::format("tensor {} has {} bytes, which disagrees with its shape [{}] of {}",
                            in_quotes(item.name), tensor.bytes.size(), fmt::join(tensor.shape, ","),
                            name_of(tensor.dtype)),
                "make the tensor contiguous and hand over all of its bytes");
}

void check(const std::vector<TensorSpec>& tensors,
           const std::map<std::string, std::string>& metadata) {
  std::set<std::string_view> names;
  for (const TensorSpec& item : tensors) {
    check(item);
    if (!names.insert(item.name).second) {
      refuse_tensor("the name " + in_quotes(item.name) + " comes twice",
                    "give each tensor its own name");
    }
  }
  for (const auto& [key, value] : metadata) {
    if (!is_utf8(key) || !is_utf8(value)) {
      refuse_tensor("the metadata entry " + in_quotes(key) + " is not UTF-8",
                    "metadata is text only");
    }
  }
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump();
}

uint64_t bytes_of(const TensorSpec& item) {
  return byte_count(item.dtype, item.shape).value();  // checked before
}

std::string header_of(const std::vector<TensorSpec>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::string header = "{";
  std::string_view separator;
  if (!metadata.empty()) {
    header += fmt::format("\"{}\":{}", kSafetensorsMetadataKey, nlohmann::json(metadata).dump());
    separator = ",";
  }
  uint64_t begin = 0;
  for (const TensorSpec& item : tensors) {
    const uint64_t end = begin + bytes_of(item);
    fmt::format_to(std::back_inserter(header),
                   R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", separator,
                   json_string(item.name), name_of(item.dtype), fmt::join(item.shape, ","), begin,
                   end);
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

std::vector<TensorSpec> checked_and_sorted(std::vector<TensorSpec> tensors,
                                           const std::map<std::string, std::string>& metadata) {
  check(tensors, metadata);
  std::sort(tensors.begin(), tensors.end(), [](const TensorSpec& a, const TensorSpec& b) {
    if (a.dtype != b.dtype) return a.dtype > b.dtype;
    return a.name < b.name;
  });
  return tensors;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path,
                                     std::vector<TensorSpec> tensors,
                                     const std::map<std::string, std::string>& metadata)
    : tensors_(checked_and_sorted(std::move(tensors), metadata)), file_(path) {
  const std::string header = header_of(tensors_, metadata);
  if (header.size() > kMaxSafetensorsHeader) {
    refuse_tensor(fmt::format("the header would have {} bytes; {} are allowed", header.size(),
                              kMaxSafetensorsHeader),
                  "split the file or shorten the metadata");
  }
  file_.write(little_endian(header.size()));
  file_.write(header);
  if (!tensors_.empty()) left_ = bytes_of(tensors_.front());
  skip_finished();
}

void SafetensorsWriter::skip_finished() {
  while (next_ < tensors_.size() && left_ == 0) {
    if (++next_ < tensors_.size()) left_ = bytes_of(tensors_[next_]);
  }
}

void SafetensorsWriter::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (bytes.size() > left_)
    refuse_tensor("a tensor has more bytes than its shape", "write each whole");
  file_.write(bytes);
  left_ -= bytes.size();
  skip_finished();
}

void SafetensorsWriter::commit() {
  if (next_ < tensors_.size()) {
    refuse_tensor("the tensor " + in_quotes(tensors_[next_].name) + " is not complete",
                  "write it first");
  }
  file_.commit();
}

void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<TensorSpec> specs;
  std::map<std::string, std::span<const std::byte>> bytes;
  for (const NamedTensor& item : tensors) {
    check_bytes(item);
    specs.push_back({item.name, item.tensor.dtype, item.tensor.shape});
    bytes.emplace(item.name, item.tensor.bytes);
  }
  SafetensorsWriter writer(path, std::move(specs), metadata);
  for (const TensorSpec& item : writer.tensors()) writer.write(bytes.at(item.name));
  writer.commit();
}

}  // namespace eqm
