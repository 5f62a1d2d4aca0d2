#include "eqm/io/gzip.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <zlib.h>

#include "eqm/base/error.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// Deflate cannot do better than 1032:1, so a length beyond that is a lie.
constexpr uint64_t kMaxExpansion = 1032;

// The least to reserve: what zlib itself works with.
constexpr uint64_t kLeastBuffer = 32'768;

constexpr int kGzipWindow = MAX_WBITS + 16;  // zlib's way to say: gzip headers and trailers

// One file being unpacked; errors name its source.
class Unpacker {
 public:
  Unpacker(std::span<const std::byte> bytes, const std::string& source, uint64_t max_bytes)
      : source_(source), rest_(bytes), max_bytes_(max_bytes), content_(first_size(bytes)) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) {
      throw Error(ErrorKind::internal, "zlib has no memory for a stream");
    }
  }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker() { inflateEnd(&stream_); }

  std::vector<std::byte> unpack() {
    if (!is_gzip(rest_)) refuse("it does not begin as gzip does");
    do {
      unpack_member();
      inflateReset(&stream_);
    } while (is_gzip(rest_));
    const bool is_padding = std::all_of(rest_.begin(), rest_.end(),
                                        [](std::byte value) { return value == std::byte{0}; });
    if (!is_padding) refuse(fmt::format("{} bytes of something else follow it", rest_.size()));
    content_.resize(produced_);
    return std::move(content_);
  }

 private:
  // Room for what the last four bytes claim, one more byte to notice that there is more, and never
  // beyond the limits.
  size_t first_size(std::span<const std::byte> bytes) const {
    uint64_t claimed = 0;
    for (size_t i = 0; i < 4 && i < bytes.size(); ++i) {
      claimed = claimed << 8 | std::to_integer<uint64_t>(bytes[bytes.size() - 1 - i]);
    }
    const uint64_t likely = std::min(claimed, bytes.size() * kMaxExpansion);
    return static_cast<size_t>(std::min(std::max(likely, kLeastBuffer), max_bytes_)) + 1;
  }

  void unpack_member() {
    for (;;) {
      const int status = step();
      if (produced_ > max_bytes_) refuse_size();
      if (status == Z_STREAM_END) return;
      if (status != Z_OK && status != Z_BUF_ERROR) {
        refuse(stream_.msg != nullptr ? stream_.msg : zError(status));
      }
      if (produced_ == content_.size()) {
        const uint64_t doubled = uint64_t{content_.size()} * 2;
        content_.resize(static_cast<size_t>(std::min(doubled, max_bytes_ + 1)));
      } else if (rest_.empty()) {
        refuse("it ends early");
      }
    }
  }

  // zlib counts in 32 bits.
  int step() {
    const auto clamped = [](size_t size) {
      return static_cast<uInt>(std::min<size_t>(size, std::numeric_limits<uInt>::max()));
    };
    const uInt given = clamped(rest_.size());
    const uInt room = clamped(content_.size() - produced_);
    // Read only, though zlib does not say so.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(rest_.data()));
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(content_.data() + produced_);
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    rest_ = rest_.subspan(given - stream_.avail_in);
    produced_ += room - stream_.avail_out;
    return status;
  }

  [[noreturn]] void refuse(std::string_view problem) const {
    throw Error(ErrorKind::input, fmt::format("cannot unpack {}: {}", in_quotes(source_), problem),
                "the file is damaged or not gzip; download it again");
  }

  [[noreturn]] void refuse_size() const {
    throw Error(ErrorKind::input,
                fmt::format("cannot unpack {} in memory: it holds more than {} bytes",
                            in_quotes(source_), max_bytes_),
                "unpack it with 'gunzip' and use the plain file");
  }

  const std::string& source_;
  std::span<const std::byte> rest_;
  uint64_t max_bytes_;
  std::vector<std::byte> content_;
  size_t produced_ = 0;
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& source,
                              uint64_t max_bytes) {
  // One less than the largest number, so that a byte too many can be counted.
  const uint64_t limit = std::min<uint64_t>(max_bytes, std::numeric_limits<ptrdiff_t>::max() - 1);
  return Unpacker(bytes, source, limit).unpack();
}

std::vector<std::byte> read_maybe_gzip(const std::filesystem::path& path, uint64_t max_bytes) {
  const MappedFile file = MappedFile::open(path);
  const std::span<const std::byte> bytes = file.bytes();
  if (is_gzip(bytes)) return gunzip(bytes, path.string(), max_bytes);
  if (bytes.size() > max_bytes) {
    throw Error(ErrorKind::input,
                fmt::format("{} has {} bytes; at most {} are read", in_quotes(path.string()),
                            bytes.size(), max_bytes),
                "check that it is the file you meant");
  }
  return {bytes.begin(), bytes.end()};
}

}  // namespace eqm
