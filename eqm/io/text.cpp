#include "eqm/io/text.h"

#include <algorithm>

#include "eqm/io/printable.h"

namespace eqm {
namespace {

// Enough to recognise a tensor by its name, short enough for one line on a terminal.
constexpr size_t kQuotedLimit = 120;

void append_utf8(std::string& out, unsigned char latin1) {
  if (latin1 < 0x80) {
    out.push_back(static_cast<char>(latin1));
    return;
  }
  out.push_back(static_cast<char>(0xC0 | (latin1 >> 6)));
  out.push_back(static_cast<char>(0x80 | (latin1 & 0x3F)));
}

}  // namespace

std::optional<std::string> latin1_from_utf8(std::string_view text) {
  std::string out;
  size_t position = 0;
  while (position < text.size()) {
    const std::optional<char32_t> point = next_code_point(text, position);
    if (!point || *point > 0xFF) return std::nullopt;
    out.push_back(static_cast<char>(*point));
  }
  return out;
}

std::string utf8_from_latin1(std::string_view text) {
  std::string out;
  for (const char c : text) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> comma_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  size_t position = 0;
  while (position < text.size()) {
    if (out.size() > kQuotedLimit) {
      out += "...";
      break;
    }
    append_printable(out, text, position);
  }
  out += "'";
  return out;
}

}  // namespace eqm
