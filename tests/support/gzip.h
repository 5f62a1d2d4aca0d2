// Packs bytes as gzip does, for tests that need such files.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include <zlib.h>

namespace eqm::test {

inline std::vector<std::byte> gzipped(std::span<const std::byte> bytes) {
  z_stream stream{};
  constexpr int kGzip = 16;
  constexpr int kMemoryLevel = 9;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
  std::vector<std::byte> packed(deflateBound(&stream, bytes.size()));
  // Read only, though zlib does not say so.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return packed;
}

}  // namespace eqm::test
