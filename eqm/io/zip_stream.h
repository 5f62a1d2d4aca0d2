// The content of a zip entry from its first byte to its last, unpacked as it is read, in constant
// memory. Size and checksum are those of the directory or it is an error. Refers to the entry and
// the file's name. One reader per object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/zip_reader.h"

namespace eqm {

class ZipStream {
 public:
  // `source` is the file's name, for errors. The pages of a mapping that holds the entry are given
  // back as they are read.
  ZipStream(const ZipEntry& entry, const std::string& source, const MappedFile* mapping = nullptr);
  ZipStream(const ZipStream&) = delete;
  ZipStream& operator=(const ZipStream&) = delete;
  ~ZipStream();

  // Fills all of `out`; asking for more than left() is a usage error. The last byte is only given
  // after the checksum was found right. Kind input when the entry is damaged.
  void read(std::span<std::byte> out);

  uint64_t left() const { return left_; }

 private:
  struct Inflater;

  void copy(std::span<std::byte> out);
  void inflate(std::span<std::byte> out);
  void finish();
  void give_back();
  [[noreturn]] void refuse(std::string_view problem) const;

  const ZipEntry& entry_;
  const std::string& source_;
  const MappedFile* mapping_;
  std::span<const std::byte> packed_;  // what is not yet unpacked
  size_t given_back_ = 0;              // bytes of the entry
  uint64_t left_;
  uint32_t checksum_ = 0;
  std::unique_ptr<Inflater> inflater_;  // null for stored entries
};

// All of an entry. More than `most` bytes are refused before anything is reserved.
std::vector<std::byte> read_entry(const ZipEntry& entry, const std::string& source, uint64_t most);

// Reads a stored entry once, in place, and compares its checksum.
void check_stored(const ZipEntry& entry, const std::string& source);

}  // namespace eqm
