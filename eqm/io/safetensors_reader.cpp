#include "eqm/io/safetensors_reader.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/safetensors_header.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

[[noreturn]] void refuse_safetensors(const std::string& source, std::string_view problem) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(source), problem),
              std::string(kDamagedSafetensorsHint));
}

uint64_t little_endian(std::span<const std::byte, kSafetensorsLengthBytes> bytes) {
  uint64_t value = 0;
  for (size_t i = kSafetensorsLengthBytes; i-- > 0;)
    value = (value << 8) | std::to_integer<uint64_t>(bytes[i]);
  return value;
}

uint64_t header_length(std::span<const std::byte> file, const std::string& source) {
  if (file.size() < kSafetensorsLengthBytes) {
    refuse_safetensors(source,
                       fmt::format("has {} bytes, too few for the header's length", file.size()));
  }
  const uint64_t length = little_endian(file.first<kSafetensorsLengthBytes>());
  if (length > file.size() - kSafetensorsLengthBytes) {
    refuse_safetensors(
        source, fmt::format("claims a header of {} bytes but has only {} after the length", length,
                            file.size() - kSafetensorsLengthBytes));
  }
  if (length > kMaxSafetensorsHeader) {
    refuse_safetensors(source, fmt::format("claims a header of {} bytes; {} are allowed", length,
                                           kMaxSafetensorsHeader));
  }
  return length;
}

void check_range(const std::string& name, const SafetensorsEntry& entry, uint64_t available,
                 const std::string& source) {
  const auto [begin, end] = entry.offsets;
  if (begin > end) {
    refuse_safetensors(source, fmt::format("has tensor {} end at byte {} before its begin {}",
                                           in_quotes(name), end, begin));
  }
  if (end > available) {
    refuse_safetensors(
        source, fmt::format("has tensor {} end at byte {} of {}", in_quotes(name), end, available));
  }
  const std::optional<uint64_t> wanted = byte_count(entry.dtype, entry.shape);
  if (!wanted) {
    refuse_safetensors(
        source, fmt::format("has tensor {} with a shape too large to count", in_quotes(name)));
  }
  if (*wanted != end - begin) {
    refuse_safetensors(source, fmt::format("gives tensor {} {} bytes where its shape needs {}",
                                           in_quotes(name), end - begin, *wanted));
  }
}

// File order; an empty tensor comes before the one that starts at the same byte.
std::vector<std::string> names_by_offset(const SafetensorsHeader& header) {
  std::vector<std::string> names;
  names.reserve(header.tensors.size());
  for (const auto& [name, entry] : header.tensors) names.push_back(name);
  std::sort(names.begin(), names.end(), [&header](const std::string& a, const std::string& b) {
    return std::tie(header.tensors.at(a).offsets, a) < std::tie(header.tensors.at(b).offsets, b);
  });
  return names;
}

// Every byte belongs to exactly one tensor.
void check_cover(const std::vector<std::string>& names, const SafetensorsHeader& header,
                 uint64_t available, const std::string& source) {
  uint64_t covered = 0;
  for (const std::string& name : names) {
    const auto [begin, end] = header.tensors.at(name).offsets;
    if (begin > covered) {
      refuse_safetensors(source, fmt::format("has unused bytes {} to {} before tensor {}", covered,
                                             begin, in_quotes(name)));
    }
    if (begin < covered) {
      refuse_safetensors(source,
                         fmt::format("has tensor {} begin at byte {}, inside the one before it",
                                     in_quotes(name), begin));
    }
    covered = end;
  }
  if (covered != available) {
    refuse_safetensors(source,
                       fmt::format("has {} bytes after its last tensor", available - covered));
  }
}

}  // namespace

SafetensorsFile SafetensorsFile::parse(std::span<const std::byte> bytes, std::string source) {
  const uint64_t length = header_length(bytes, source);
  const std::span<const std::byte> rest = bytes.subspan(kSafetensorsLengthBytes);
  const std::span<const std::byte> data = rest.subspan(length);
  SafetensorsHeader header = parse_safetensors_header(
      {reinterpret_cast<const char*>(rest.data()), static_cast<size_t>(length)}, source);
  for (const auto& [name, entry] : header.tensors) check_range(name, entry, data.size(), source);

  SafetensorsFile file;
  file.names_ = names_by_offset(header);
  check_cover(file.names_, header, data.size(), source);
  for (auto& [name, entry] : header.tensors) {
    const auto [begin, end] = entry.offsets;
    file.tensors_.emplace(name, TensorView{.dtype = entry.dtype,
                                           .shape = std::move(entry.shape),
                                           .bytes = data.subspan(begin, end - begin)});
  }
  file.metadata_ = std::move(header.metadata);
  file.source_ = std::move(source);
  return file;
}

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  auto mapping = std::make_shared<const MappedFile>(MappedFile::open(path));
  SafetensorsFile file = parse(mapping->bytes(), path.string());
  file.mapping_ = std::move(mapping);
  return file;
}

const TensorView& SafetensorsFile::at(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  throw Error(ErrorKind::input,
              fmt::format("{} has no tensor {}", in_quotes(source_), in_quotes(name)),
              "the file may belong to another model or another version of this one");
}

}  // namespace eqm
