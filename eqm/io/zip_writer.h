// Writes a zip file, entry by entry, in constant memory and with 64-bit sizes where they are
// needed. Atomic (see AtomicFile): without commit() nothing appears. The bytes depend on the
// content only: dates are those of 1980. One writer per object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/atomic_file.h"
#include "eqm/io/zip_reader.h"

namespace eqm {

class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& path);
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter();

  // Begins an entry. Its first `head` bytes, at most 65,535, are those that end() is given: what
  // stands there may depend on what follows. Its content begins at a multiple of `alignment`, at
  // most 4,096, in the file.
  void begin(const std::string& name, ZipMethod method, size_t head = 0, size_t alignment = 1);
  void write(std::span<const std::byte> bytes);
  void end(std::span<const std::byte> head = {});

  void commit();

 private:
  struct Deflater;
  struct Record {
    std::string name;
    ZipMethod method = ZipMethod::stored;
    uint32_t checksum = 0;
    uint64_t size = 0, packed = 0, header = 0;
    size_t padding = 0;  // of the local header's extra fields
  };

  void append(std::span<const std::byte> bytes);
  void append(const std::string& bytes);
  void deflate(std::span<const std::byte> bytes, int flush);
  std::string local_header(const Record& record) const;
  std::string directory_entry(const Record& record) const;
  std::string directory_end(uint64_t begin, uint64_t size) const;

  AtomicFile file_;
  uint64_t position_ = 0;
  std::vector<Record> records_;
  bool open_ = false;  // within an entry, the last of the records
  size_t head_ = 0;
  uint64_t head_at_ = 0;  // where the head's bytes belong in the file
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace eqm
