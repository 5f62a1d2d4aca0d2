// The directory of a zip file over its mapped bytes: nothing is copied or unpacked until asked for,
// so that gigabytes cost nothing. Nothing is ever extracted, so names are just names: absolute ones
// and
// ".." do no harm. The file is untrusted: every offset and length is checked when it is opened, no
// two entries share a byte, and no name comes twice. Knows zip64; refuses encryption and parts of
// sets. Immutable after opening, hence safe to share between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/mapped_file.h"

namespace eqm {

enum class ZipMethod : uint16_t { stored = 0, deflated = 8 };

struct ZipEntry {
  std::string name;  // in no particular encoding
  ZipMethod method = ZipMethod::stored;
  uint64_t size = 0;                  // unpacked
  uint32_t checksum = 0;              // CRC-32 of the unpacked bytes
  std::span<const std::byte> packed;  // as they lie in the file
};

bool is_zip(std::span<const std::byte> bytes);

class ZipFile {
 public:
  // Kind io when the file cannot be read, kind input when it breaks a rule.
  static ZipFile open(const std::filesystem::path& path);
  // The same from memory that outlives the result; `source` is named in errors.
  static ZipFile parse(std::span<const std::byte> bytes, std::string source);

  // In the order of the directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  // Null when there is none.
  const ZipEntry* find(const std::string& name) const;

  const std::string& source() const { return source_; }
  // Null after parse().
  const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

 private:
  ZipFile() = default;

  std::string source_;
  std::shared_ptr<const MappedFile> mapping_;
  std::vector<ZipEntry> entries_;
  std::map<std::string, size_t> by_name_;
};

}  // namespace eqm
