#include "eqm/base/shell_word.h"

#include <algorithm>
#include <cctype>

namespace eqm {
namespace {

bool is_plain(char byte) {
  constexpr std::string_view kHarmless = "_-./,:=+@%";
  return std::isalnum(static_cast<unsigned char>(byte)) != 0 ||
         kHarmless.find(byte) != std::string_view::npos;
}

}  // namespace

std::string single_quoted(std::string_view text) {
  std::string word = "'";
  for (const char byte : text) {
    if (byte == '\'') {
      word += "'\\''";  // a quote cannot stand within quotes
    } else {
      word += byte;
    }
  }
  return word + "'";
}

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
  return plain ? std::string(text) : single_quoted(text);
}

}  // namespace eqm
