// NumPy's .npz files: named arrays in a zip. Read and written in constant memory, so that the
// 50,000 pictures of an evaluation stream. Files that are read are untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/npy_header.h"
#include "eqm/io/zip_reader.h"
#include "eqm/io/zip_stream.h"
#include "eqm/io/zip_writer.h"

namespace eqm {

// The elements of one array, in the order they have in the file. Refers to its file.
class NpyReader {
 public:
  NpyReader(const ZipFile& file, const ZipEntry& entry);

  const NpyHeader& header() const { return header_; }
  // Bytes that were not read yet.
  uint64_t left() const { return stream_.left(); }
  // Fills all of `out`, which is at most left(). The last byte comes after the checksum was
  // compared.
  void read(std::span<std::byte> out) { stream_.read(out); }

  // The elements as they lie in the file, unchecked; nothing where they are packed.
  const std::optional<std::span<const std::byte>>& in_place() const { return in_place_; }
  // Of header and elements, as the directory has it.
  uint32_t checksum() const { return checksum_; }

 private:
  ZipStream stream_;
  NpyHeader header_;
  std::optional<std::span<const std::byte>> in_place_;
  uint32_t checksum_;
};

// An array in memory, row-major.
struct NpyArray {
  Dtype dtype = Dtype::u8;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  TensorView view() const { return {dtype, shape, bytes}; }
};

class NpzFile {
 public:
  // Kind io when the file cannot be read, kind input when it is damaged or no zip.
  static NpzFile open(const std::filesystem::path& path) { return NpzFile(ZipFile::open(path)); }
  static NpzFile parse(std::span<const std::byte> bytes, std::string source) {
    return NpzFile(ZipFile::parse(bytes, std::move(source)));
  }

  // Names without ".npy", in the order of the file.
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const { return zip_.find(name + ".npy") != nullptr; }

  // Kind input when there is no such array. This object must outlive the reader.
  NpyReader array(const std::string& name) const;
  // All of it; more than `most` bytes are refused before anything is reserved.
  NpyArray read(const std::string& name, uint64_t most) const;

  // Keeps the bytes of arrays in place alive; null after parse().
  const std::shared_ptr<const MappedFile>& mapping() const { return zip_.mapping(); }

 private:
  explicit NpzFile(ZipFile zip) : zip_(std::move(zip)) {}

  ZipFile zip_;
};

// Atomic (see AtomicFile): without commit() nothing appears.
class NpzWriter {
 public:
  NpzWriter(const std::filesystem::path& path, ZipMethod method) : zip_(path), method_(method) {}

  // Begins an array whose rows have this type and shape; how many there are shows at end().
  void begin(const std::string& name, Dtype dtype, const std::vector<int64_t>& row);
  // Whole rows.
  void write(std::span<const std::byte> rows);
  void end();

  void commit() { zip_.commit(); }

 private:
  ZipWriter zip_;
  ZipMethod method_;
  NpyHeader header_;
  uint64_t row_bytes_ = 0;
  size_t room_ = 0;
};

}  // namespace eqm
