#include "eqm/draw/utf8.h"

#include <optional>

#include "eqm/base/utf8.h"

namespace eqm::draw {

std::string printable_utf8(std::string_view bytes) {
  std::string result;
  result.reserve(bytes.size());
  for (size_t position = 0; position < bytes.size();) {
    const size_t start = position;
    const std::optional<char32_t> point = next_code_point(bytes, position);
    if (!point) position = start + 1;
    if (point && *point >= 0x20 && *point != 0x7f) {
      result += bytes.substr(start, position - start);
    } else {
      result += '?';
    }
  }
  return result;
}

}  // namespace eqm::draw
