// Walks over the bytes of an untrusted file: every step is checked against what is left. Refers to
// the bytes and to the file's name; both must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace eqm {

inline constexpr std::string_view kDamagedFileHint =
    "the file is damaged or cut off; download or copy it again";

// A number of up to eight bytes, lowest first.
uint64_t little_endian(std::span<const std::byte> bytes);

// Characters that live where the bytes do.
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class ByteCursor {
 public:
  // `source` is named in errors, which are of kind input.
  ByteCursor(std::span<const std::byte> bytes, const std::string& source)
      : bytes_(bytes), source_(source) {}

  // Steps past the end throw.
  std::span<const std::byte> take(uint64_t count);
  uint64_t number(size_t bytes) { return little_endian(take(bytes)); }
  void seek(uint64_t position);

  uint64_t position() const { return position_; }
  uint64_t left() const { return bytes_.size() - position_; }
  std::span<const std::byte> rest() const { return bytes_.subspan(position_); }

 private:
  std::span<const std::byte> bytes_;
  const std::string& source_;
  size_t position_ = 0;
};

}  // namespace eqm
