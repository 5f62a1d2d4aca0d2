// Lists that people write: parts between commas, of which one that begins with a double quote lasts
// to the next one, so that it may hold commas, and blanks at its ends. A quote in it is doubled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eqm {

struct ListPart {
  std::string text;  // trimmed, or what stood between quotes
  std::string rest;  // what stands behind the closing quote, trimmed
  bool quoted = false;
};

// An empty text has one part, which is empty. Kind usage when a quote is not closed.
std::vector<ListPart> quoted_parts(std::string_view text);

// The text of a quote that opened before `position`, which moves behind the closing one. Kind usage
// when it is not closed.
std::string read_quoted(std::string_view text, size_t& position);

// The name as it must be written to be one part.
std::string as_list_part(std::string_view name);

}  // namespace eqm
