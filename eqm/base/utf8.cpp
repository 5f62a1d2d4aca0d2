#include "eqm/base/utf8.h"

namespace eqm {
namespace {

constexpr unsigned char byte_at(std::string_view text, size_t position) {
  return static_cast<unsigned char>(text[position]);
}

// Length of the sequence a lead byte announces; 0 for a byte that cannot lead.
constexpr size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  if (lead < 0xF5) return 4;
  return 0;
}

}  // namespace

std::optional<char32_t> next_code_point(std::string_view text, size_t& position) {
  if (position >= text.size()) return std::nullopt;
  const unsigned char lead = byte_at(text, position);
  const size_t length = sequence_length(lead);
  if (length == 0 || length > text.size() - position) return std::nullopt;
  constexpr unsigned char kLeadMask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t point = lead & kLeadMask[length];
  for (size_t i = 1; i < length; ++i) {
    const unsigned char next = byte_at(text, position + i);
    if ((next & 0xC0) != 0x80) return std::nullopt;
    point = (point << 6) | (next & 0x3F);
  }
  // Two-byte overlong forms are already excluded by the lead byte.
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (overlong || surrogate || point > 0x10FFFF) return std::nullopt;
  position += length;
  return point;
}

bool is_utf8(std::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    if (!next_code_point(text, position)) return false;
  }
  return true;
}

}  // namespace eqm
