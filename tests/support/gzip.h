// Packs bytes as gzip does, for tests that need such files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <zlib.h>

namespace eqm::test {

class GzipPacker {
 public:
  GzipPacker() {
    constexpr int kGzip = 16;
    constexpr int kMemoryLevel = 9;
    if (deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::runtime_error("deflateInit2 failed");
    }
  }
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;
  ~GzipPacker() { deflateEnd(&stream_); }

  void add(std::span<const std::byte> bytes) { deflate_all(bytes, Z_NO_FLUSH); }
  std::vector<std::byte> finish() {
    deflate_all({}, Z_FINISH);
    return std::move(packed_);
  }

 private:
  void deflate_all(std::span<const std::byte> bytes, int flush) {
    // Read only, though zlib does not say so.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::vector<std::byte> piece(65'536);
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream_, flush);
      packed_.insert(packed_.end(), piece.begin(),
                     piece.end() - static_cast<ptrdiff_t>(stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::vector<std::byte> packed_;
};

inline std::vector<std::byte> gzipped(std::span<const std::byte> bytes) {
  GzipPacker packer;
  packer.add(bytes);
  return packer.finish();
}

// `begin` and then `size` times the same byte, without ever having all of it in memory.
inline std::vector<std::byte> gzip_bomb(const std::string& begin, size_t size, char filler = '\0') {
  GzipPacker packer;
  packer.add(std::as_bytes(std::span(begin)));
  const std::string piece(65'536, filler);
  for (; size > 0; size -= std::min(size, piece.size())) {
    packer.add(std::as_bytes(std::span(piece)).first(std::min(size, piece.size())));
  }
  return packer.finish();
}

}  // namespace eqm::test
