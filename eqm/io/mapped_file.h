// A file mapped into memory for reading: nothing is copied and pages are loaded when touched. Owns
// the mapping, not the file; move-only. The bytes may be read from several threads at once. A file
// that another process shortens while it is mapped raises SIGBUS on access; our own writers never
// do that, because they replace files by rename.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace eqm {

class MappedFile {
 public:
  // An empty file gives no bytes. Anything but a regular file (folder, FIFO, device) is an i/o
  // error.
  static MappedFile open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

  // Gives back the memory of pages that hold these bytes, which must be of this mapping; they are
  // loaded again when touched. For what is read once and is larger than memory should bear.
  void release(std::span<const std::byte> bytes) const;

  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  MappedFile(const std::byte* data, size_t size) : data_(data), size_(size) {}

  const std::byte* data_;  // null when the file is empty
  size_t size_;
};

}  // namespace eqm
