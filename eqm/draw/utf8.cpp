#include "eqm/draw/utf8.h"

#include <cstddef>
#include <cstdint>

namespace eqm::draw {
namespace {

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

// Length of the valid sequence at `i`, or 0.
std::size_t sequence_length(std::string_view bytes, std::size_t i) {
  const std::uint32_t lead = byte_at(bytes, i);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes.size() - i < length) return 0;
  std::uint32_t code = lead & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    const std::uint32_t next = byte_at(bytes, i + k);
    if ((next & 0xc0u) != 0x80u) return 0;
    code = (code << 6) | (next & 0x3fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

}  // namespace

std::string printable_utf8(std::string_view bytes) {
  std::string result;
  result.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = sequence_length(bytes, i);
    if (length == 0) {
      result += '?';
      ++i;
    } else {
      result.append(bytes.substr(i, length));
      i += length;
    }
  }
  return result;
}

}  // namespace eqm::draw
