#include "eqm/io/idx.h"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/gzip.h"
#include "eqm/io/tensor_view.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr uint32_t kUnsignedBytes = 0x0800;

uint32_t big_endian_at(std::span<const std::byte> bytes, size_t position) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value = (value << 8) | std::to_integer<uint32_t>(bytes[position + i]);
  }
  return value;
}

[[noreturn]] void refuse_idx(const std::string& source, std::string_view problem) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(source), problem),
              "the file is damaged or not IDX; download it again");
}

}  // namespace

IdxArray parse_idx(std::vector<std::byte> file, size_t rank, const std::string& source) {
  const size_t header = 4 + 4 * rank;
  if (file.size() < header) {
    refuse_idx(source, fmt::format("ends after {} bytes, within the IDX header", file.size()));
  }
  const uint32_t magic = big_endian_at(file, 0);
  const uint32_t expected = kUnsignedBytes | static_cast<uint32_t>(rank);
  if (magic != expected) {
    refuse_idx(source,
               fmt::format("begins with {:#010x} where IDX of bytes in {} dimensions has {:#010x}",
                           magic, rank, expected));
  }
  IdxArray array;
  for (size_t i = 0; i < rank; ++i) array.shape.push_back(big_endian_at(file, 4 + 4 * i));
  const std::optional<uint64_t> elements = element_count(array.shape);
  if (!elements || *elements != file.size() - header) {
    refuse_idx(source, fmt::format("holds {} bytes behind its header, which announces {}",
                                   file.size() - header,
                                   elements ? std::to_string(*elements) : "more than 2^63"));
  }
  array.file = std::move(file);
  return array;
}

IdxArray read_idx(const std::filesystem::path& path, size_t rank) {
  return parse_idx(read_maybe_gzip(path, kMaxIdxBytes), rank, path.string());
}

}  // namespace eqm
