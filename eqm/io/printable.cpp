#include "eqm/io/printable.h"

#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "eqm/base/utf8.h"

namespace eqm {
namespace {

// C0, DEL and C1; and the marks that change the direction of what follows.
constexpr bool is_unfit(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || (point >= 0x202A && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

void append_printable(std::string& out, std::string_view text, size_t& position) {
  const size_t start = position;
  const std::optional<char32_t> point = next_code_point(text, position);
  if (!point) position = start + 1;
  if (point && !is_unfit(*point)) {
    out += text.substr(start, position - start);
    return;
  }
  for (size_t i = start; i < position; ++i) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[i]));
  }
}

std::string printable(std::string_view text) {
  std::string out;
  for (size_t position = 0; position < text.size();) append_printable(out, text, position);
  return out;
}

}  // namespace eqm
