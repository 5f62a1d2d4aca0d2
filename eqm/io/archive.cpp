#include "eqm/io/archive.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/io/gzip.h"
#include "eqm/io/tar_reader.h"
#include "eqm/io/text.h"

namespace eqm {

uint64_t default_unpacked_limit() {
  constexpr uint64_t kMost = uint64_t{8} << 30;
  return std::min(kMost, available_memory() / 2);
}

namespace {

// Tapes are padded with zeros to whole records, which are rarely longer than a megabyte.
constexpr uint64_t kMostPadding = uint64_t{1} << 20;

// Stops at the first header that is wrong, so that what is no tar is never unpacked.
std::vector<std::byte> unpack_tar(std::span<const std::byte> packed, const std::string& source,
                                  uint64_t max_unpacked) {
  GzipStream stream(packed, source);
  std::vector<std::byte> content;
  content.reserve(static_cast<size_t>(std::min(stream.claimed_size(), max_unpacked)));
  const auto require_room = [&](uint64_t size, uint64_t room) {
    if (size <= room) return;
    throw Error(ErrorKind::input,
                fmt::format("cannot unpack {} in memory: it holds more than {} bytes",
                            in_quotes(source), max_unpacked),
                "unpack it with 'gunzip' and use the plain file");
  };
  const auto next = [&] {
    const std::span<const std::byte> piece = stream.next();
    require_room(piece.size(), max_unpacked - content.size());
    content.insert(content.end(), piece.begin(), piece.end());
    return piece;
  };
  const auto enter = [&](uint64_t size) {
    require_room(size, max_unpacked);
    if (size <= kMostPackedEntry) return;
    throw Error(ErrorKind::input,
                fmt::format("cannot unpack {} in memory: a file in it has {} bytes, and {} are "
                            "allowed",
                            in_quotes(source), size, kMostPackedEntry),
                "unpack it with 'gunzip' and use the plain file");
  };
  skim_tar(next, enter, source);
  uint64_t padding = 0;  // only read for its checksum
  for (size_t size = stream.next().size(); size > 0; size = stream.next().size()) {
    padding += size;
    if (padding <= kMostPadding) continue;
    throw Error(ErrorKind::input,
                fmt::format("cannot read {} as a tar: it continues long after its end mark",
                            in_quotes(source)),
                "a tar that was appended to another is not read; pack the files into one");
  }
  return content;
}

}  // namespace

TarFile TarFile::open(const std::filesystem::path& path, uint64_t max_unpacked) {
  const std::string source = path.string();
  TarFile tar;
  MappedFile file = MappedFile::open(path);
  if (is_gzip(file.bytes())) {
    tar.unpacked_ = unpack_tar(file.bytes(), source, max_unpacked);
  } else {
    tar.mapping_ = std::move(file);
  }
  const std::span<const std::byte> bytes = tar.mapping_ ? tar.mapping_->bytes() : tar.unpacked_;
  tar.entries_ = read_tar(bytes, source);
  return tar;
}

}  // namespace eqm
