// Zip files made by hand, right or wrong as a test needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

namespace eqm::test {

inline std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text.push_back(static_cast<char>(i < 8 ? value >> (8 * i) : 0));
  }
  return text;
}

inline std::string deflated(const std::string& content) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// What the directory says of an entry; what is left away is true.
struct MadeEntry {
  std::string name;
  std::string content;
  bool packed = false;
  std::optional<std::string> local_name = {};
  std::optional<uint64_t> size = {}, packed_size = {}, checksum = {}, header = {};
  std::optional<uint64_t> method = {};
  uint64_t flags = 0;
  bool as_zip64 = false;  // sizes and place in the 64-bit field
};

struct MadeEnd {
  std::string comment = {};
  std::optional<uint64_t> count = {}, begin = {}, size = {};
  uint64_t disk = 0;
  bool as_zip64 = false;
};

inline std::string made_zip(const std::vector<MadeEntry>& entries, const MadeEnd& end = {}) {
  std::string file, directory;
  for (const MadeEntry& entry : entries) {
    const std::string bytes = entry.packed ? deflated(entry.content) : entry.content;
    const uint64_t method = entry.method.value_or(entry.packed ? 8 : 0);
    const uint64_t checksum =
        entry.checksum.value_or(crc32(0, reinterpret_cast<const Bytef*>(entry.content.data()),
                                      static_cast<uInt>(entry.content.size())));
    const uint64_t size = entry.size.value_or(entry.content.size());
    const uint64_t packed_size = entry.packed_size.value_or(bytes.size());
    const uint64_t header = entry.header.value_or(file.size());
    const std::string local_name = entry.local_name.value_or(entry.name);
    file += little(0x04034b50, 4) + little(20, 2) + little(entry.flags, 2) + little(method, 2) +
            little(0, 4) + little(checksum, 4) + little(packed_size, 4) + little(size, 4) +
            little(local_name.size(), 2) + little(0, 2) + local_name + bytes;
    std::string extra;
    if (entry.as_zip64) {
      extra = little(1, 2) + little(24, 2) + little(size, 8) + little(packed_size, 8) +
              little(header, 8);
    }
    const auto shown = [&](uint64_t value) {
      return little(entry.as_zip64 ? 0xffffffff : value, 4);
    };
    directory += little(0x02014b50, 4) + little(20, 2) + little(20, 2) + little(entry.flags, 2) +
                 little(method, 2) + little(0, 4) + little(checksum, 4) + shown(packed_size) +
                 shown(size) + little(entry.name.size(), 2) + little(extra.size(), 2) +
                 little(0, 10) + shown(header) + entry.name + extra;
  }
  const uint64_t begin = end.begin.value_or(file.size());
  const uint64_t size = end.size.value_or(directory.size());
  const uint64_t count = end.count.value_or(entries.size());
  file += directory;
  if (end.as_zip64) {
    const uint64_t at = file.size();
    file += little(0x06064b50, 4) + little(44, 8) + little(45, 2) + little(45, 2) +
            little(end.disk, 4) + little(end.disk, 4) + little(count, 8) + little(count, 8) +
            little(size, 8) + little(begin, 8);
    file += little(0x07064b50, 4) + little(0, 4) + little(at, 8) + little(1, 4);
  }
  const auto shown = [&](uint64_t value, int bytes) {
    return little(end.as_zip64 ? ~uint64_t{0} : value, bytes);
  };
  file += little(0x06054b50, 4) + little(end.as_zip64 ? 0 : end.disk, 2) + little(0, 2) +
          shown(count, 2) + shown(count, 2) + shown(size, 4) + shown(begin, 4) +
          little(end.comment.size(), 2) + end.comment;
  return file;
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace eqm::test
