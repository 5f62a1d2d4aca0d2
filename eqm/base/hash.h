// A running 64-bit FNV-1a hash, for fingerprints: the same on every machine, not safe against
// malice. Every piece is added with its length, so that {"ab", "c"} and {"a", "bc"} differ.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace eqm {

class Hash {
 public:
  Hash& add(std::span<const std::byte> bytes);
  Hash& add(std::string_view text);

  template <std::integral Number>
  Hash& add(Number number) {
    return add_number(static_cast<uint64_t>(number));
  }

  uint64_t value() const { return value_; }

 private:
  Hash& add_number(uint64_t number);
  void mix(std::byte byte);

  uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace eqm
