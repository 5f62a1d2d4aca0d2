#include "eqm/io/gzip.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// Deflate cannot do better than 1032:1, so a length beyond that is a lie.
constexpr uint64_t kMaxExpansion = 1032;

// Larger ones do not unpack faster.
constexpr size_t kPiece = size_t{1} << 18;

constexpr int kGzipWindow = MAX_WBITS + 16;  // zlib's way to say: gzip headers and trailers

}  // namespace

struct GzipStream::Inflater {
  z_stream stream{};

  Inflater() {
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
      throw Error(ErrorKind::internal, "zlib has no memory for a stream");
    }
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

GzipStream::GzipStream(std::span<const std::byte> bytes, std::string source)
    : source_(std::move(source)), rest_(bytes) {
  if (!is_gzip(bytes)) refuse("it does not begin as gzip does");
  for (size_t i = 0; i < 4 && i < bytes.size(); ++i) {
    claimed_size_ = claimed_size_ << 8 | std::to_integer<uint64_t>(bytes[bytes.size() - 1 - i]);
  }
  claimed_size_ = std::min(claimed_size_, bytes.size() * kMaxExpansion);
  piece_.resize(kPiece);
  inflater_ = std::make_unique<Inflater>();
}

GzipStream::~GzipStream() = default;

std::span<const std::byte> GzipStream::next(size_t most) {
  const std::span<std::byte> room = std::span(piece_).first(std::min(most, piece_.size()));
  size_t produced = 0;
  while (produced == 0 && !room.empty() && !ended_) inflate_into(room, produced);
  return room.first(produced);
}

void GzipStream::append_to(std::vector<std::byte>& content, uint64_t size) {
  while (content.size() < size) {
    const std::span<const std::byte> piece = next(static_cast<size_t>(size - content.size()));
    if (piece.empty()) return;
    content.insert(content.end(), piece.begin(), piece.end());
  }
}

void GzipStream::inflate_into(std::span<std::byte> room, size_t& produced) {
  z_stream& stream = inflater_->stream;
  // zlib counts in 32 bits.
  const auto given =
      static_cast<uInt>(std::min<size_t>(rest_.size(), std::numeric_limits<uInt>::max()));
  // Read only, though zlib does not say so.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(rest_.data()));
  stream.avail_in = given;
  stream.next_out = reinterpret_cast<Bytef*>(room.data());
  stream.avail_out = static_cast<uInt>(room.size());
  const int status = inflate(&stream, Z_NO_FLUSH);
  rest_ = rest_.subspan(given - stream.avail_in);
  produced = room.size() - stream.avail_out;
  if (status == Z_STREAM_END) return finish_member();
  if (status != Z_OK && status != Z_BUF_ERROR) {
    refuse(stream.msg != nullptr ? stream.msg : zError(status));
  }
  if (produced == 0 && rest_.empty()) refuse("it ends early");
}

void GzipStream::finish_member() {
  inflateReset(&inflater_->stream);
  if (is_gzip(rest_)) return;
  const bool is_padding = std::all_of(rest_.begin(), rest_.end(),
                                      [](std::byte value) { return value == std::byte{0}; });
  if (!is_padding) refuse(fmt::format("{} bytes of something else follow it", rest_.size()));
  ended_ = true;
}

void GzipStream::refuse(std::string_view problem) const {
  throw Error(ErrorKind::input, fmt::format("cannot unpack {}: {}", in_quotes(source_), problem),
              "the file is damaged or not gzip; download it again");
}

}  // namespace eqm
