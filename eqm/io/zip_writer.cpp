#include "eqm/io/zip_writer.h"

#include <algorithm>
#include <array>
#include <limits>

#include <zlib.h>

#include "eqm/base/error.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/zip_format.h"

namespace eqm {
namespace {

using namespace zip;

constexpr uint64_t kPlainVersion = 20, kVersion64 = 45;  // the specification's 2.0 and 4.5
constexpr uint64_t kUnix = 3 << 8;
constexpr uint64_t kReadableFile = uint64_t{0600} << 16;
constexpr uint64_t kFirstDate = 0x21;       // 1 January 1980
constexpr size_t kExtra64Size = 20;         // kind, size, two numbers
constexpr size_t kFieldHeader = 4;          // kind and size of an extra field
constexpr uint64_t kExtraPadding = 0x4246;  // "FB", by which PyTorch pads
constexpr size_t kPackedPiece = size_t{1} << 16;

void put(std::string& text, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
}

uint64_t saturated(uint64_t value) {
  return std::min(value, kSaturated32);
}

void demand(bool holds, const char* rule) {
  if (!holds) throw Error(ErrorKind::internal, std::string("a zip file is misused: ") + rule);
}

}  // namespace

struct ZipWriter::Deflater {
  z_stream stream{};

  Deflater() {
    constexpr int kMemoryLevel = 8;
    // Negative: raw deflate without a header of its own.
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw Error(ErrorKind::internal, "zlib has no memory for a stream");
    }
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream); }
};

ZipWriter::ZipWriter(const std::filesystem::path& path) : file_(path) {}

ZipWriter::~ZipWriter() = default;

void ZipWriter::append(std::span<const std::byte> bytes) {
  file_.write(bytes);
  position_ += bytes.size();
}

void ZipWriter::append(const std::string& bytes) {
  append(std::as_bytes(std::span(bytes)));
}

void ZipWriter::begin(const std::string& name, ZipMethod method, size_t head, size_t alignment) {
  demand(!open_, "an entry begins inside another");
  demand(head <= kSaturated16 && name.size() <= kSaturated16, "a name or head is too long");
  open_ = true;
  demand(alignment >= 1 && alignment <= 4096, "an alignment is out of range");
  const uint64_t content = position_ + kLocalHeaderSize + name.size() + kExtra64Size;
  size_t padding = static_cast<size_t>((alignment - content % alignment) % alignment);
  if (padding > 0 && padding < kFieldHeader)
    padding += alignment * ((kFieldHeader + alignment - 1) / alignment);
  records_.push_back({.name = name, .method = method, .header = position_, .padding = padding});
  append(local_header(records_.back()));
  if (method == ZipMethod::deflated) {
    deflater_ = std::make_unique<Deflater>();
    // A block that is not packed and not the last, so that its bytes can be replaced in the file.
    if (head > 0) {
      std::string block(1, '\0');
      put(block, head, 2);
      put(block, ~head, 2);
      append(block);
    }
  }
  head_ = head;
  head_at_ = position_;
  append(std::string(head, '\0'));
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  demand(open_, "bytes come before an entry");
  Record& record = records_.back();
  record.size += bytes.size();
  record.checksum = static_cast<uint32_t>(
      crc32_z(record.checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  deflater_ ? deflate(bytes, Z_NO_FLUSH) : append(bytes);
}

void ZipWriter::deflate(std::span<const std::byte> bytes, int flush) {
  z_stream& stream = deflater_->stream;
  std::array<std::byte, kPackedPiece> packed;
  do {
    // zlib counts in 32 bits.
    const size_t given = std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(given);
    bytes = bytes.subspan(given);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      ::deflate(&stream, bytes.empty() ? flush : Z_NO_FLUSH);
      append(std::span(packed).first(packed.size() - stream.avail_out));
    } while (stream.avail_out == 0);
  } while (!bytes.empty());
}

void ZipWriter::end(std::span<const std::byte> head) {
  demand(open_ && head.size() == head_, "a head is not as long as was said");
  Record& record = records_.back();
  if (deflater_) deflate({}, Z_FINISH);
  deflater_.reset();
  const auto head_checksum =
      static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size()));
  record.checksum = static_cast<uint32_t>(
      crc32_combine(head_checksum, record.checksum, static_cast<z_off_t>(record.size)));
  record.size += head.size();
  const uint64_t content =
      record.header + kLocalHeaderSize + record.name.size() + kExtra64Size + record.padding;
  record.packed = position_ - content;
  file_.overwrite(head_at_, head);
  const std::string header = local_header(record);
  file_.overwrite(record.header, std::as_bytes(std::span(header)));
  open_ = false;
}

// Its 64-bit field is always there: how much will follow is not known when its room is reserved.
std::string ZipWriter::local_header(const Record& record) const {
  std::string header;
  const bool large = std::max(record.size, record.packed) >= kSaturated32;
  put(header, kLocalHeader, 4);
  put(header, large ? kVersion64 : kPlainVersion, 2);
  put(header, 0, 2);
  put(header, static_cast<uint64_t>(record.method), 2);
  put(header, 0, 2);
  put(header, kFirstDate, 2);
  put(header, record.checksum, 4);
  put(header, large ? kSaturated32 : record.packed, 4);
  put(header, large ? kSaturated32 : record.size, 4);
  put(header, record.name.size(), 2);
  put(header, kExtra64Size + record.padding, 2);
  header += record.name;
  put(header, kExtra64, 2);
  put(header, kExtra64Size - 4, 2);
  put(header, record.size, 8);
  put(header, record.packed, 8);
  if (record.padding > 0) {
    put(header, kExtraPadding, 2);
    put(header, record.padding - kFieldHeader, 2);
    header.append(record.padding - kFieldHeader, '\0');
  }
  return header;
}

std::string ZipWriter::directory_entry(const Record& record) const {
  std::string extra;
  for (const uint64_t value : {record.size, record.packed, record.header}) {
    if (value >= kSaturated32) put(extra, value, 8);
  }
  const uint64_t version = extra.empty() ? kPlainVersion : kVersion64;
  std::string entry;
  put(entry, kDirectoryEntry, 4);
  put(entry, kUnix | version, 2);
  put(entry, version, 2);
  put(entry, 0, 2);
  put(entry, static_cast<uint64_t>(record.method), 2);
  put(entry, 0, 2);
  put(entry, kFirstDate, 2);
  put(entry, record.checksum, 4);
  put(entry, saturated(record.packed), 4);
  put(entry, saturated(record.size), 4);
  put(entry, record.name.size(), 2);
  put(entry, extra.empty() ? 0 : extra.size() + 4, 2);
  put(entry, 0, 6);  // comment, disk, internal attributes
  put(entry, kReadableFile, 4);
  put(entry, saturated(record.header), 4);
  entry += record.name;
  if (!extra.empty()) {
    put(entry, kExtra64, 2);
    put(entry, extra.size(), 2);
    entry += extra;
  }
  return entry;
}

std::string ZipWriter::directory_end(uint64_t begin, uint64_t size) const {
  const uint64_t count = records_.size();
  std::string end;
  if (count >= kSaturated16 || begin >= kSaturated32 || size >= kSaturated32) {
    put(end, kDirectoryEnd64, 4);
    put(end, kDirectoryEnd64Size - 12, 8);  // without what stands before
    put(end, kUnix | kVersion64, 2);
    put(end, kVersion64, 2);
    put(end, 0, 8);  // disks
    put(end, count, 8);
    put(end, count, 8);
    put(end, size, 8);
    put(end, begin, 8);
    put(end, kEndLocator64, 4);
    put(end, 0, 4);
    put(end, begin + size, 8);
    put(end, 1, 4);
  }
  put(end, kDirectoryEnd, 4);
  put(end, 0, 4);
  put(end, std::min(count, kSaturated16), 2);
  put(end, std::min(count, kSaturated16), 2);
  put(end, saturated(size), 4);
  put(end, saturated(begin), 4);
  put(end, 0, 2);
  return end;
}

void ZipWriter::commit() {
  demand(!open_, "it is committed inside an entry");
  const uint64_t begin = position_;
  for (const Record& record : records_) append(directory_entry(record));
  append(directory_end(begin, position_ - begin));
  file_.commit();
}

}  // namespace eqm
