#include "eqm/io/tar_reader.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

using ArchivePtr = std::unique_ptr<archive, decltype(&archive_read_free)>;

// libarchive on a tar, whose name is in errors.
class TarHeaders {
 public:
  explicit TarHeaders(const std::string& source)
      : source_(source), archive_(archive_read_new(), &archive_read_free) {
    if (!archive_) throw Error(ErrorKind::internal, "libarchive has no memory for a reader");
    checked(archive_read_support_format_tar(archive_.get()));
  }

  archive* get() const { return archive_.get(); }

  void checked(int status) const {
    // A warning is about a name's encoding or an attribute we do not use.
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
    const char* problem = archive_error_string(archive_.get());
    refuse(problem != nullptr ? problem : "libarchive does not say why");
  }

  // Null behind the last.
  archive_entry* next() const {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(archive_.get(), &entry);
    if (status == ARCHIVE_EOF) return nullptr;
    checked(status);
    return entry;
  }

  [[noreturn]] void refuse(std::string_view problem) const {
    throw Error(ErrorKind::input,
                fmt::format("cannot read {} as a tar: {}", in_quotes(source_), problem),
                "plain and gzipped tars are read; download a damaged one again");
  }

 private:
  const std::string& source_;
  ArchivePtr archive_;
};

// What libarchive asks for bytes. Exceptions cannot pass through its C code, so they wait here.
struct Feed {
  const std::function<std::span<const std::byte>()>& next;
  bool is_empty = true;
  std::exception_ptr failure = {};

  static la_ssize_t read(archive* reader, void* self, const void** bytes) {
    auto& feed = *static_cast<Feed*>(self);
    try {
      const std::span<const std::byte> piece = feed.next();
      if (!piece.empty()) feed.is_empty = false;
      *bytes = piece.data();
      return static_cast<la_ssize_t>(piece.size());
    } catch (...) {
      feed.failure = std::current_exception();
      archive_set_error(reader, EIO, "its bytes cannot be read");
      return ARCHIVE_FATAL;
    }
  }
};

class TarReader {
 public:
  TarReader(std::span<const std::byte> bytes, const std::string& source)
      : bytes_(bytes), source_(source), headers_(source) {}

  std::vector<TarEntry> read() {
    if (bytes_.empty()) headers_.refuse("it is empty");
    headers_.checked(archive_read_open_memory(headers_.get(), bytes_.data(), bytes_.size()));
    while (archive_entry* entry = headers_.next()) take(entry);
    check_end();
    return std::move(entries_);
  }

 private:
  // libarchive takes the end of the bytes between two entries for the end of the tar, but then a
  // download that stopped there would pass. A whole tar has a block of zeros that is read last.
  void check_end() const {
    const bool has_mark =
        archive_filter_bytes(headers_.get(), 0) > archive_read_header_position(headers_.get());
    if (!has_mark) headers_.refuse("it ends without the mark of a tar's end");
  }

  void take(archive_entry* entry) {
    const std::string name =
        name_of(archive_entry_pathname(entry), archive_entry_pathname_utf8(entry));
    if (archive_entry_hardlink(entry) != nullptr || archive_entry_hardlink_utf8(entry) != nullptr) {
      take_link(name, name_of(archive_entry_hardlink(entry), archive_entry_hardlink_utf8(entry)));
    } else if (archive_entry_filetype(entry) == AE_IFREG) {
      entries_.push_back({name, file_bytes(entry, name)});
    }
  }

  // The raw bytes; libarchive has none when the locale cannot express a name that is UTF-8.
  static std::string name_of(const char* raw, const char* utf8) {
    if (raw != nullptr) return raw;
    return utf8 != nullptr ? utf8 : "";
  }

  void take_link(const std::string& name, const std::string& target) {
    for (; indexed_ < entries_.size(); ++indexed_) index_[entries_[indexed_].name] = indexed_;
    const auto found = index_.find(target);
    if (found != index_.end()) entries_.push_back({name, entries_[found->second].bytes});
  }

  // A file lies in one piece behind its header, unless it has holes.
  std::span<const std::byte> file_bytes(archive_entry* entry, const std::string& name) const {
    const la_int64_t size = archive_entry_size(entry);
    if (size == 0) return {};
    if (size < 0) headers_.refuse(fmt::format("{} has a negative size", in_quotes(name)));
    const void* data = nullptr;
    size_t data_size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(headers_.get(), &data, &data_size, &offset);
    const auto* first = static_cast<const std::byte*>(data);
    const bool has_holes =
        status == ARCHIVE_EOF || offset != 0 || archive_entry_sparse_count(entry) > 0;
    if (has_holes) refuse_holes(name);
    headers_.checked(status);
    if (!contains(first)) {
      throw Error(ErrorKind::internal, "libarchive gives other bytes than those of the tar");
    }
    const auto begin = static_cast<size_t>(first - bytes_.data());
    if (static_cast<uint64_t>(size) > bytes_.size() - begin) {
      headers_.refuse(fmt::format("it ends early, inside of {}", in_quotes(name)));
    }
    return bytes_.subspan(begin, static_cast<size_t>(size));
  }

  bool contains(const std::byte* byte) const {
    const std::less<const std::byte*> before;
    return !before(byte, bytes_.data()) && before(byte, bytes_.data() + bytes_.size());
  }

  [[noreturn]] void refuse_holes(const std::string& name) const {
    throw Error(ErrorKind::input,
                fmt::format("cannot read {} in {}: it is stored with holes", in_quotes(name),
                            in_quotes(source_)),
                "unpack the tar and use the folder, or pack it without sparse files");
  }

  std::span<const std::byte> bytes_;
  const std::string& source_;
  TarHeaders headers_;
  std::vector<TarEntry> entries_;
  std::unordered_map<std::string, size_t> index_;  // of the first indexed_ entries
  size_t indexed_ = 0;
};

}  // namespace

void skim_tar(const std::function<std::span<const std::byte>()>& next,
              const std::function<void(uint64_t size)>& enter, const std::string& source) {
  const TarHeaders headers(source);
  Feed feed = {next};
  try {
    headers.checked(archive_read_open(headers.get(), &feed, nullptr, &Feed::read, nullptr));
    while (archive_entry* entry = headers.next()) {
      enter(static_cast<uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry))));
    }
  } catch (const Error&) {
    if (feed.failure) std::rethrow_exception(feed.failure);
    if (feed.is_empty) headers.refuse("it is empty");
    throw;
  }
}

std::vector<TarEntry> read_tar(std::span<const std::byte> bytes, const std::string& source) {
  return TarReader(bytes, source).read();
}

}  // namespace eqm
