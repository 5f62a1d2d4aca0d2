#include <string>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/option_keys.h"
#include "eqm/base/toml.h"

namespace eqm {
namespace {

// A basic string: one line, whatever it holds.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') out += '\\';
    if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\u{:04X}", code);
    } else {
      out += letter;
    }
  }
  return out + '"';
}

std::string toml_literal(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* number = std::get_if<double>(&value)) {
    const std::string text = fmt::format("{}", *number);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  return to_text(value);
}

}  // namespace

std::string to_toml(const OptionSet& options) {
  std::string out;
  // Top-level keys must precede every table.
  for (const Option& option : options.options()) {
    if (!option.section.empty()) continue;
    out += fmt::format("{} = {}  # {}\n", option.name, toml_literal(option.get()),
                       render_keys(option.help, bare_key));
  }
  std::vector<std::string> sections;
  for (const Option& option : options.options()) {
    bool known = option.section.empty();
    for (const std::string& section : sections) known = known || section == option.section;
    if (!known) sections.push_back(option.section);
  }
  for (const std::string& section : sections) {
    out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", section);
    for (const Option& option : options.options()) {
      if (option.section != section) continue;
      out += fmt::format("{} = {}  # {}\n", option.name, toml_literal(option.get()),
                         render_keys(option.help, bare_key));
    }
  }
  return out;
}

}  // namespace eqm
