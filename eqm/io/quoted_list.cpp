#include "eqm/io/quoted_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {

std::string read_quoted(std::string_view text, size_t& position) {
  std::string inner;
  while (position < text.size()) {
    const char letter = text[position++];
    if (letter != '"') {
      inner += letter;
    } else if (position < text.size() && text[position] == '"') {
      inner += text[position++];
    } else {
      return inner;
    }
  }
  throw Error(ErrorKind::usage, fmt::format("a quote is not closed in {}", in_quotes(text)),
              "write a name with commas as \"one, two\", with a double quote at both ends");
}

std::vector<ListPart> quoted_parts(std::string_view text) {
  std::vector<ListPart> parts;
  for (size_t position = 0; position <= text.size();) {
    ListPart& part = parts.emplace_back();
    const size_t first = std::min(text.find_first_not_of(" \t", position), text.size());
    part.quoted = first < text.size() && text[first] == '"';
    if (part.quoted) {
      position = first + 1;
      part.text = read_quoted(text, position);
    }
    const size_t end = std::min(text.find(',', position), text.size());
    (part.quoted ? part.rest : part.text) = trimmed(text.substr(position, end - position));
    position = end + 1;
  }
  return parts;
}

std::string as_list_part(std::string_view name) {
  const bool plain = name.find(',') == std::string_view::npos && !name.starts_with('"') &&
                     !name.empty() && trimmed(name) == name;
  if (plain) return std::string(name);
  std::string quoted = "\"";
  for (const char letter : name) {
    quoted += letter;
    if (letter == '"') quoted += '"';
  }
  return quoted + "\"";
}

}  // namespace eqm
