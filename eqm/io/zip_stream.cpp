#include "eqm/io/zip_stream.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <zlib.h>

#include "eqm/base/error.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// So much of a mapped file is in memory at once; less would only cost system calls.
constexpr size_t kPagesAtOnce = size_t{16} << 20;

// zlib counts in 32 bits.
uInt clamped(size_t size) {
  return static_cast<uInt>(std::min<size_t>(size, std::numeric_limits<uInt>::max()));
}

[[noreturn]] void refuse_entry(const ZipEntry& entry, const std::string& source,
                               std::string_view problem) {
  throw Error(
      ErrorKind::input,
      fmt::format("the entry {} of {} {}", in_quotes(entry.name), in_quotes(source), problem),
      std::string(kDamagedFileHint));
}

uint32_t crc_of(uint32_t before, std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

struct ZipStream::Inflater {
  z_stream stream{};
  bool ended = false;

  Inflater() {
    // Negative: raw deflate without a header of its own.
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
      throw Error(ErrorKind::internal, "zlib has no memory for a stream");
    }
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

ZipStream::ZipStream(const ZipEntry& entry, const std::string& source, const MappedFile* mapping)
    : entry_(entry), source_(source), mapping_(mapping), packed_(entry.packed), left_(entry.size) {
  if (entry.method == ZipMethod::deflated) inflater_ = std::make_unique<Inflater>();
  if (left_ == 0) finish();
}

ZipStream::~ZipStream() = default;

void ZipStream::read(std::span<std::byte> out) {
  if (out.size() > left_) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} bytes of a zip entry were asked for where {} are left", out.size(), left_),
        "ask for no more than left()");
  }
  if (out.empty()) return;
  inflater_ ? inflate(out) : copy(out);
  checksum_ = crc_of(checksum_, out);
  left_ -= out.size();
  give_back();
  if (left_ == 0) finish();
}

void ZipStream::give_back() {
  const size_t used = entry_.packed.size() - packed_.size();
  if (mapping_ == nullptr || used - given_back_ < kPagesAtOnce) return;
  mapping_->release(entry_.packed.subspan(given_back_, used - given_back_));
  given_back_ = used;
}

void ZipStream::copy(std::span<std::byte> out) {
  std::memcpy(out.data(), packed_.data(), out.size());
  packed_ = packed_.subspan(out.size());
}

void ZipStream::inflate(std::span<std::byte> out) {
  z_stream& stream = inflater_->stream;
  while (!out.empty()) {
    if (inflater_->ended) refuse("unpacks to less than it claims");
    const uInt given = clamped(packed_.size()), room = clamped(out.size());
    // Read only, though zlib does not say so.
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed_.data()));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = room;
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    const bool moved = stream.avail_in != given || stream.avail_out != room;
    packed_ = packed_.subspan(given - stream.avail_in);
    out = out.subspan(room - stream.avail_out);
    if (status == Z_STREAM_END) {
      inflater_->ended = true;
    } else if ((status != Z_OK && status != Z_BUF_ERROR) || !moved) {
      refuse("cannot be unpacked");
    }
  }
}

// Nothing may follow the last byte that was claimed.
void ZipStream::finish() {
  if (inflater_ && !inflater_->ended) {
    z_stream& stream = inflater_->stream;
    std::byte beyond{};
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed_.data()));
    stream.avail_in = clamped(packed_.size());
    stream.next_out = reinterpret_cast<Bytef*>(&beyond);
    stream.avail_out = 1;
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    if (stream.avail_out == 0) refuse("unpacks to more than it claims");
    if (status != Z_STREAM_END) refuse("cannot be unpacked");
    inflater_->ended = true;
  }
  if (checksum_ != entry_.checksum) refuse("does not have the checksum it should have");
}

void ZipStream::refuse(std::string_view problem) const {
  refuse_entry(entry_, source_, problem);
}

std::vector<std::byte> read_entry(const ZipEntry& entry, const std::string& source, uint64_t most) {
  if (entry.size > most) {
    refuse_entry(entry, source,
                 fmt::format("claims {} bytes; at most {} are read at once", entry.size, most));
  }
  std::vector<std::byte> content(static_cast<size_t>(entry.size));
  ZipStream(entry, source).read(content);
  return content;
}

void check_stored(const ZipEntry& entry, const std::string& source) {
  if (crc_of(0, entry.packed) != entry.checksum) {
    refuse_entry(entry, source, "does not have the checksum it should have");
  }
}

}  // namespace eqm
