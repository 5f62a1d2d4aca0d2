#include "cli/embedded_text.h"

#include <CLI/StringTools.hpp>

namespace eqm::cli {

std::string_view embedded_text(std::string_view name) {
  for (const EmbeddedText& text : embedded_texts()) {
    if (text.name == name) return text.content;
  }
  return {};
}

std::string advice_of(const std::string& verb) {
  std::string text(embedded_text("help/" + verb + ".txt"));
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string filled_text(std::string_view name,
                        const std::vector<std::pair<std::string, std::string>>& values) {
  std::string text(embedded_text(name));
  for (const auto& [place, value] : values) {
    text = CLI::detail::find_and_replace(std::move(text), "@" + place + "@", value);
  }
  return text;
}

}  // namespace eqm::cli
