#include "eqm/io/file_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "eqm/io/gzip.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/zip_reader.h"

namespace eqm {
namespace {

constexpr size_t kTarBlock = 512;
constexpr size_t kTarChecksum = 148;  // where its eight bytes are
constexpr size_t kTarChecksumEnd = 156;

uint32_t number_of(std::byte byte) {
  return std::to_integer<uint32_t>(byte);
}

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](char wanted, std::byte found) { return std::byte(wanted) == found; });
}

// Every kind of tar begins with a block whose bytes, the checksum taken as blanks, add up to it.
bool is_tar(std::span<const std::byte> bytes) {
  if (bytes.size() < kTarBlock) return false;
  uint32_t sum = 0;
  uint32_t written = 0;
  bool has_digit = false;
  for (size_t i = 0; i < kTarBlock; ++i) {
    const uint32_t value = number_of(bytes[i]);
    const bool within = i >= kTarChecksum && i < kTarChecksumEnd;
    sum += within ? uint32_t{' '} : value;
    if (!within || value < '0' || value > '7') continue;
    written = written * 8 + (value - '0');
    has_digit = true;
  }
  return has_digit && sum == written;
}

// The length of a header, below 2^32, then JSON.
bool is_safetensors(std::span<const std::byte> bytes) {
  return bytes.size() > 8 && bytes[8] == std::byte{'{'} &&
         std::all_of(bytes.begin() + 4, bytes.begin() + 8,
                     [](std::byte byte) { return byte == std::byte{0}; });
}

// What can be unpacked of the first block; nothing of damaged gzip.
std::vector<std::byte> first_unpacked(std::span<const std::byte> bytes) {
  std::vector<std::byte> block(kTarBlock);
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) return {};  // +16: gzip
  // Read only, though zlib does not say so.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<size_t>(bytes.size(), 1 << 20));
  stream.next_out = reinterpret_cast<Bytef*>(block.data());
  stream.avail_out = static_cast<uInt>(block.size());
  inflate(&stream, Z_SYNC_FLUSH);
  block.resize(block.size() - stream.avail_out);
  inflateEnd(&stream);
  return block;
}

}  // namespace

FileKind kind_of_bytes(std::span<const std::byte> bytes) {
  using std::string_view_literals::operator""sv;
  if (starts_with(bytes, "\0\0\x08"sv)) return FileKind::idx;
  if (starts_with(bytes, "\x89PNG"sv) || starts_with(bytes, "\xFF\xD8\xFF"sv)) {
    return FileKind::picture;
  }
  if (is_zip(bytes)) return FileKind::zip;
  if (starts_with(bytes, "MATLAB "sv)) return FileKind::mat;
  if (is_safetensors(bytes)) return FileKind::safetensors;
  if (is_tar(bytes)) return FileKind::tar;
  return FileKind::unknown;
}

FileKind kind_of_file(const std::filesystem::path& path) {
  const MappedFile file = MappedFile::open(path);
  if (is_gzip(file.bytes())) return kind_of_bytes(first_unpacked(file.bytes()));
  return kind_of_bytes(file.bytes());
}

}  // namespace eqm
