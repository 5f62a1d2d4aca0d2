#include "eqm/base/option_keys.h"

#include <algorithm>

namespace eqm {
namespace {

bool is_small_letter(char letter) {
  return letter >= 'a' && letter <= 'z';
}

bool is_key(std::string_view text) {
  const auto allowed = [](char letter) {
    return is_small_letter(letter) || (letter >= '0' && letter <= '9') || letter == '-';
  };
  return !text.empty() && is_small_letter(text.front()) && std::ranges::all_of(text, allowed);
}

}  // namespace

std::string render_keys(std::string_view text, const KeyStyle& style) {
  std::string rendered;
  while (!text.empty()) {
    const size_t open = text.find('{');
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view key = text.substr(open + 1, close - open - 1);
    rendered += text.substr(0, open);
    if (is_key(key)) {
      rendered += style(key);
      text.remove_prefix(close + 1);
    } else {
      rendered += '{';
      text.remove_prefix(open + 1);
    }
  }
  return rendered.append(text);
}

std::string bare_key(std::string_view key) {
  return std::string(key);
}

}  // namespace eqm
