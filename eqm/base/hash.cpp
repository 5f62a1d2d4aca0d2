#include "eqm/base/hash.h"

namespace eqm {

void Hash::mix(std::byte byte) {
  value_ = (value_ ^ std::to_integer<uint64_t>(byte)) * 0x100000001b3;
}

Hash& Hash::add(std::span<const std::byte> bytes) {
  add_number(bytes.size());
  for (const std::byte byte : bytes) mix(byte);
  return *this;
}

Hash& Hash::add(std::string_view text) {
  return add(std::as_bytes(std::span(text)));
}

Hash& Hash::add_number(uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) mix(static_cast<std::byte>(number >> shift));
  return *this;
}

}  // namespace eqm
