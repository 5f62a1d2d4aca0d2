#include "eqm/io/archive.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "eqm/io/gzip.h"
#include "eqm/io/tar_reader.h"

namespace eqm {

uint64_t default_unpacked_limit() {
  constexpr uint64_t kMost = uint64_t{8} << 30;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return kMost;
  return std::min(kMost, static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) / 2);
}

TarFile TarFile::open(const std::filesystem::path& path, uint64_t max_unpacked) {
  const std::string source = path.string();
  TarFile tar;
  MappedFile file = MappedFile::open(path);
  if (is_gzip(file.bytes())) {
    tar.unpacked_ = gunzip(file.bytes(), source, max_unpacked);
  } else {
    tar.mapping_ = std::move(file);
  }
  const std::span<const std::byte> bytes = tar.mapping_ ? tar.mapping_->bytes() : tar.unpacked_;
  tar.entries_ = read_tar(bytes, source);
  return tar;
}

}  // namespace eqm
