#include "eqm/io/gzip.h"

#include <algorithm>
#include <array>
#include <memory>

#include <archive.h>
#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"

namespace eqm {

std::vector<std::byte> read_maybe_gzip(const std::filesystem::path& path, uint64_t max_bytes) {
  const MappedFile file = MappedFile::open(path);
  const auto bytes = file.bytes();
  const auto refuse = [&](const std::string& problem) {
    throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(path.string()), problem),
                "the file is damaged; download it again");
  };
  if (bytes.size() < 2 || bytes[0] != std::byte{0x1f} || bytes[1] != std::byte{0x8b}) {
    if (bytes.size() > max_bytes) refuse(fmt::format("passes {} bytes", max_bytes));
    return {bytes.begin(), bytes.end()};
  }
  const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(),
                                                                      &archive_read_free);
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_raw(reader.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
    refuse("is not whole gzip");
  }
  std::vector<std::byte> content;
  std::array<std::byte, 65536> block;
  for (;;) {
    const la_ssize_t got = archive_read_data(reader.get(), block.data(), block.size());
    if (got < 0) refuse("is not whole gzip");
    if (got == 0) return content;
    content.insert(content.end(), block.begin(), block.begin() + got);
    if (content.size() > max_bytes) refuse(fmt::format("unpacks to more than {} bytes", max_bytes));
  }
}

}  // namespace eqm
