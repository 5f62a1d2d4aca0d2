// Gzip content, unpacked piece by piece, so that a reader can stop as soon as it knows that the
// content is wrong or too long. Lengths and checksums are verified (libarchive's own gzip reader
// leaves them alone). Refers to the packed bytes. One reader per object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eqm {

// By the first bytes.
bool is_gzip(std::span<const std::byte> bytes);

// Several members in a row are one content, and zero bytes may follow the last one (tapes pad with
// them); anything else that follows is damage. Every function is an error of kind input, naming
// `source`, when the bytes are damaged or end early.
class GzipStream {
 public:
  GzipStream(std::span<const std::byte> bytes, std::string source);
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream();

  // The next bytes, `most` at the most, valid until the next call; none at the end of the content,
  // once its checksums were found right.
  std::span<const std::byte> next(size_t most = SIZE_MAX);

  // Appends until `content` has `size` bytes or everything is unpacked.
  void append_to(std::vector<std::byte>& content, uint64_t size);

  // What the last bytes say of the content's length, modulo 2^32, and no more than so many bytes
  // can unpack to. A claim, good for reserving memory that is not touched.
  uint64_t claimed_size() const { return claimed_size_; }

 private:
  struct Inflater;

  void inflate_into(std::span<std::byte> room, size_t& produced);
  void finish_member();
  [[noreturn]] void refuse(std::string_view problem) const;

  std::string source_;
  std::span<const std::byte> rest_;  // what is not yet unpacked
  uint64_t claimed_size_ = 0;
  bool ended_ = false;
  std::vector<std::byte> piece_;
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace eqm
