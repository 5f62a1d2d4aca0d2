#include "eqm/io/idx.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/gzip.h"
#include "eqm/io/mapped_file.h"
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

size_t header_size(size_t rank) {
  return 4 + 4 * rank;
}

// The shape that the first bytes of a file announce.
std::vector<int64_t> announced_shape(std::span<const std::byte> begin, size_t rank,
                                     const std::string& source) {
  if (begin.size() < header_size(rank)) {
    refuse_idx(source, fmt::format("ends after {} bytes, within the IDX header", begin.size()));
  }
  const uint32_t magic = big_endian_at(begin, 0);
  const uint32_t expected = kUnsignedBytes | static_cast<uint32_t>(rank);
  if (magic != expected) {
    refuse_idx(source,
               fmt::format("begins with {:#010x} where IDX of bytes in {} dimensions has {:#010x}",
                           magic, rank, expected));
  }
  std::vector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) shape.push_back(big_endian_at(begin, 4 + 4 * i));
  const std::optional<uint64_t> elements = element_count(shape);
  if (!elements || *elements > kMaxIdxBytes) {
    refuse_idx(source,
               fmt::format("announces {} bytes; at most {} are read",
                           elements ? std::to_string(*elements) : "more than 2^63", kMaxIdxBytes));
  }
  return shape;
}

// Stops where the header is wrong or says that the content ends.
std::vector<std::byte> unpack_idx(std::span<const std::byte> packed, size_t rank,
                                  const std::string& source) {
  GzipStream stream(packed, source);
  std::vector<std::byte> file;
  stream.append_to(file, header_size(rank));
  const uint64_t size = header_size(rank) + *element_count(announced_shape(file, rank, source));
  file.reserve(static_cast<size_t>(std::min(size, stream.claimed_size())));
  stream.append_to(file, size);
  if (!stream.next(1).empty()) {
    refuse_idx(source, fmt::format("unpacks to more than the {} bytes its header announces", size));
  }
  return file;
}

// The same, of all bytes, which must be as many as announced.
std::vector<int64_t> checked_shape(std::span<const std::byte> file, size_t rank,
                                   const std::string& source) {
  std::vector<int64_t> shape = announced_shape(file, rank, source);
  const uint64_t elements = *element_count(shape);
  if (elements != file.size() - header_size(rank)) {
    refuse_idx(source, fmt::format("holds {} bytes behind its header, which announces {}",
                                   file.size() - header_size(rank), elements));
  }
  return shape;
}

}  // namespace

IdxArray parse_idx(std::vector<std::byte> file, size_t rank, const std::string& source) {
  std::vector<int64_t> shape = checked_shape(file, rank, source);
  return {.shape = std::move(shape), .file = std::move(file)};
}

IdxArray read_idx(const std::filesystem::path& path, size_t rank) {
  const std::string source = path.string();
  const MappedFile file = MappedFile::open(path);
  const std::span<const std::byte> bytes = file.bytes();
  if (is_gzip(bytes)) return parse_idx(unpack_idx(bytes, rank, source), rank, source);
  std::vector<int64_t> shape = checked_shape(bytes, rank, source);  // before anything is copied
  return {.shape = std::move(shape), .file = {bytes.begin(), bytes.end()}};
}

}  // namespace eqm
