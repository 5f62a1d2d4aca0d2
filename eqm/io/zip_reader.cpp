#include "eqm/io/zip_reader.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/text.h"
#include "eqm/io/zip_format.h"

namespace eqm {
namespace {

using namespace zip;

// Deflate cannot do better than 1032:1, so a size beyond that is a lie.
constexpr uint64_t kMaxExpansion = 1032;

// Each costs some hundred bytes of memory; checkpoints have thousands.
constexpr uint64_t kMaxEntries = 1'000'000;

// What the directory says of an entry, before it is held against the file.
struct Claim {
  ZipEntry entry;
  uint64_t packed_size = 0;
  uint64_t header = 0;  // where its local header begins
  uint64_t end = 0;     // the first byte behind its content
};

class DirectoryReader {
 public:
  DirectoryReader(std::span<const std::byte> bytes, const std::string& source)
      : bytes_(bytes), source_(source) {}

  std::vector<ZipEntry> read() {
    find_directory();
    std::vector<Claim> claims;
    ByteCursor directory(bytes_.subspan(begin_, size_), source_);
    for (uint64_t i = 0; i < count_; ++i) claims.push_back(read_entry(directory));
    if (directory.left() != 0) {
      refuse(fmt::format("its directory has {} bytes more than its entries", directory.left()));
    }
    for (Claim& claim : claims) locate(claim);
    check_overlap(claims);
    std::vector<ZipEntry> entries;
    for (Claim& claim : claims) entries.push_back(std::move(claim.entry));
    return entries;
  }

 private:
  // The end record is the last thing in the file but for a comment, whose length it holds.
  size_t find_end() const {
    const size_t most = std::min<size_t>(bytes_.size(), kDirectoryEndSize + kLongestComment);
    for (size_t size = kDirectoryEndSize; size <= most; ++size) {
      const auto tail = bytes_.last(size);
      if (little_endian(tail.first(4)) != kDirectoryEnd) continue;
      if (little_endian(tail.subspan(20, 2)) == size - kDirectoryEndSize) {
        return bytes_.size() - size;
      }
    }
    refuse("it has no zip directory at its end");
  }

  void find_directory() {
    const size_t end = find_end();
    ByteCursor record(bytes_.subspan(end, kDirectoryEndSize), source_);
    record.seek(4);
    const uint64_t disk = record.number(2), first_disk = record.number(2);
    const uint64_t count_here = record.number(2), count = record.number(2);
    const uint64_t size = record.number(4), begin = record.number(4);
    count_ = count, size_ = size, begin_ = begin;
    uint64_t limit = end;
    const bool has_end64 =
        end >= kEndLocator64Size &&
        little_endian(bytes_.subspan(end - kEndLocator64Size, 4)) == kEndLocator64;
    if (has_end64) {
      limit = read_end64(end - kEndLocator64Size);
      if (differ(count, count_, kSaturated16) || differ(size, size_, kSaturated32) ||
          differ(begin, begin_, kSaturated32)) {
        refuse("its two directory ends disagree");
      }
    }
    const uint64_t beyond16 = has_end64 ? kSaturated16 : 0;
    if (differ(disk, 0, beyond16) || differ(first_disk, 0, beyond16) || count_here != count) {
      refuse("its directory end is that of one part of several");
    }
    if (begin_ > limit || size_ > limit - begin_) refuse("its directory lies outside the file");
    if (size_ != limit - begin_) {
      refuse(
          fmt::format("its directory of {} bytes at byte {} does not reach to its end at byte {}",
                      size_, begin_, limit));
    }
    if (count_ > size_ / kDirectoryEntrySize) {
      refuse(fmt::format("its directory of {} bytes cannot hold {} entries", size_, count_));
    }
    if (count_ > kMaxEntries) {
      refuse(fmt::format("it has {} entries; at most {} are read", count_, kMaxEntries));
    }
  }

  // Whether a field is neither the value it should have nor the one that refers to the 64-bit
  // record.
  static bool differ(uint64_t field, uint64_t value, uint64_t saturated) {
    return field != value && field != saturated;
  }

  // Returns where the 64-bit record begins.
  uint64_t read_end64(size_t locator_at) {
    ByteCursor locator(bytes_.subspan(locator_at, kEndLocator64Size), source_);
    locator.seek(4);
    const uint64_t end_disk = locator.number(4), at = locator.number(8), disks = locator.number(4);
    // Some writers count no disks where there is one.
    if (end_disk != 0 || disks > 1) refuse("its 64-bit directory end is on another disk");
    if (at > locator_at || locator_at - at < kDirectoryEnd64Size) {
      refuse("its 64-bit directory end lies outside the file");
    }
    ByteCursor record(bytes_.subspan(at, kDirectoryEnd64Size), source_);
    if (record.number(4) != kDirectoryEnd64) refuse("its 64-bit directory end is missing");
    // The size is that of what follows it: the rest of the record, and data of other programs.
    const uint64_t size = record.number(8);
    if (size != locator_at - at - 12) {
      refuse(fmt::format("its 64-bit directory end claims {} bytes and has {}", size,
                         locator_at - at - 12));
    }
    record.seek(16);
    const uint64_t disk = record.number(4), first_disk = record.number(4);
    const uint64_t count_here = record.number(8);
    count_ = record.number(8);
    if (disk != 0 || first_disk != 0 || count_here != count_) {
      refuse("its 64-bit directory end is that of one part of several");
    }
    size_ = record.number(8);
    begin_ = record.number(8);
    return at;
  }

  Claim read_entry(ByteCursor& directory) const {
    Claim claim;
    if (directory.number(4) != kDirectoryEntry) refuse("its directory is damaged");
    directory.take(4);  // versions
    const uint64_t flags = directory.number(2), method = directory.number(2);
    directory.take(4);  // time and date
    claim.entry.checksum = static_cast<uint32_t>(directory.number(4));
    claim.packed_size = directory.number(4);
    claim.entry.size = directory.number(4);
    const uint64_t name = directory.number(2), extra = directory.number(2),
                   comment = directory.number(2);
    const uint64_t disk = directory.number(2);
    directory.take(6);  // attributes
    claim.header = directory.number(4);
    claim.entry.name = text_of(directory.take(name));
    read_extra64(directory.take(extra), claim);
    directory.take(comment);
    if (differ(disk, 0, extra > 0 ? kSaturated16 : 0)) {
      refuse(fmt::format("its entry {} is on another disk", in_quotes(claim.entry.name)));
    }
    check(claim, flags, method);
    claim.entry.method = static_cast<ZipMethod>(method);
    return claim;
  }

  // The 64-bit values of those fields that are saturated, in this order.
  void read_extra64(std::span<const std::byte> extra, Claim& claim) const {
    ByteCursor fields(extra, source_);
    while (fields.left() >= 4) {
      const uint64_t kind = fields.number(2), size = fields.number(2);
      ByteCursor field(fields.take(size), source_);
      if (kind != kExtra64) continue;
      for (uint64_t* value : {&claim.entry.size, &claim.packed_size, &claim.header}) {
        if (*value == kSaturated32) *value = field.number(8);
      }
      return;
    }
  }

  void check(const Claim& claim, uint64_t flags, uint64_t method) const {
    const std::string name = in_quotes(claim.entry.name);
    if ((flags & kEncrypted) != 0) refuse(fmt::format("its entry {} is encrypted", name));
    if (method != 0 && method != 8) {
      refuse(fmt::format("its entry {} is packed by method {}; 0 and 8 are read", name, method));
    }
    const bool stored = method == 0;
    if (stored && claim.packed_size != claim.entry.size) {
      refuse(fmt::format("its entry {} has {} bytes and claims {}", name, claim.packed_size,
                         claim.entry.size));
    }
    if (!stored && claim.entry.size / kMaxExpansion > claim.packed_size) {
      refuse(fmt::format("its entry {} has {} packed bytes and claims to unpack to {}", name,
                         claim.packed_size, claim.entry.size));
    }
  }

  // The local header repeats the name and says how long it is itself; sizes in it may be left open.
  void locate(Claim& claim) const {
    const std::string name = in_quotes(claim.entry.name);
    if (claim.header > begin_ || begin_ - claim.header < kLocalHeaderSize) {
      refuse(fmt::format("its entry {} lies outside the file", name));
    }
    ByteCursor local(bytes_.first(begin_), source_);
    local.seek(claim.header);
    if (local.number(4) != kLocalHeader) refuse(fmt::format("its entry {} has no header", name));
    local.take(22);
    const uint64_t name_size = local.number(2), extra_size = local.number(2);
    if (name_size + extra_size > local.left() ||
        text_of(local.take(name_size)) != claim.entry.name) {
      refuse(fmt::format("its entry {} has another name in its header", name));
    }
    local.take(extra_size);
    if (claim.packed_size > local.left()) {
      refuse(fmt::format("its entry {} ends outside the file", name));
    }
    claim.entry.packed = local.take(claim.packed_size);
    claim.end = local.position();
  }

  // Overlapping entries make small files with endless content.
  void check_overlap(const std::vector<Claim>& claims) const {
    std::vector<const Claim*> order;
    for (const Claim& claim : claims) order.push_back(&claim);
    std::sort(order.begin(), order.end(),
              [](const Claim* a, const Claim* b) { return a->header < b->header; });
    for (size_t i = 1; i < order.size(); ++i) {
      if (order[i]->header < order[i - 1]->end) {
        refuse(fmt::format("its entries {} and {} overlap", in_quotes(order[i - 1]->entry.name),
                           in_quotes(order[i]->entry.name)));
      }
    }
  }

  [[noreturn]] void refuse(std::string_view problem) const {
    throw Error(ErrorKind::input, fmt::format("cannot read {}: {}", in_quotes(source_), problem),
                std::string(kDamagedFileHint));
  }

  std::span<const std::byte> bytes_;
  const std::string& source_;
  uint64_t count_ = 0, size_ = 0, begin_ = 0;  // of the directory
};

}  // namespace

bool is_zip(std::span<const std::byte> bytes) {
  if (bytes.size() < 4) return false;
  const uint64_t first = little_endian(bytes.first(4));
  return first == kLocalHeader || first == kDirectoryEnd;  // the latter alone is an empty zip
}

ZipFile ZipFile::parse(std::span<const std::byte> bytes, std::string source) {
  ZipFile file;
  file.source_ = std::move(source);
  file.entries_ = DirectoryReader(bytes, file.source_).read();
  for (size_t i = 0; i < file.entries_.size(); ++i) {
    if (file.by_name_.emplace(file.entries_[i].name, i).second) continue;
    throw Error(ErrorKind::input,
                fmt::format("cannot read {}: its entry {} comes twice", in_quotes(file.source_),
                            in_quotes(file.entries_[i].name)),
                std::string(kDamagedFileHint));
  }
  return file;
}

ZipFile ZipFile::open(const std::filesystem::path& path) {
  auto mapping = std::make_shared<const MappedFile>(MappedFile::open(path));
  ZipFile file = parse(mapping->bytes(), path.string());
  file.mapping_ = std::move(mapping);
  return file;
}

const ZipEntry* ZipFile::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

}  // namespace eqm
