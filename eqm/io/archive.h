// The regular files inside a tar, plain or gzipped. A plain tar is mapped and its files are views
// into the mapping; a gzipped one is unpacked into memory, within a limit and no further than its
// headers are those of a tar. Nothing is ever extracted, so names are just names: absolute ones and
// ".." do no harm. The tar is untrusted: every length is checked when it is opened. Immutable after
// opening, hence safe to share between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/mapped_file.h"

namespace eqm {

struct TarEntry {
  std::string name;  // as the tar has it, in no particular encoding
  std::span<const std::byte> bytes;
};

// The largest file in a gzipped tar. Few pictures of kMaxImagePixels fill it; a file that announces
// more is refused before it is unpacked. A plain tar is mapped and has no such limit.
inline constexpr uint64_t kMostPackedEntry = uint64_t{256} << 20;

// Eight gigabytes or half of the memory that is available now, whichever is less.
uint64_t default_unpacked_limit();

class TarFile {
 public:
  // Kind io when the file cannot be read; kind input when it is not a tar, damaged, or ends early
  // (a tar without its end mark counts as that), when a file in it has holes (tar --sparse), and
  // when a gzipped one unpacks to more than `max_unpacked` bytes or holds a file of more than
  // kMostPackedEntry.
  static TarFile open(const std::filesystem::path& path,
                      uint64_t max_unpacked = default_unpacked_limit());

  // In file order. A hard link to an earlier file is one more file with the same bytes; folders,
  // other links and devices are left out. The bytes live as long as this object.
  const std::vector<TarEntry>& entries() const { return entries_; }

  std::span<const std::byte> bytes(size_t index) const { return entries_.at(index).bytes; }

 private:
  TarFile() = default;

  // What the entries are views of.
  std::optional<MappedFile> mapping_;  // a plain tar
  std::vector<std::byte> unpacked_;    // a gzipped tar
  std::vector<TarEntry> entries_;
};

}  // namespace eqm
