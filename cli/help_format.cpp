#include "cli/help_format.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace eqm::cli {
namespace {

constexpr size_t kNameColumns = 26, kColumns = 110;

size_t columns_of(const std::string& text) {
  const auto begins_character = [](char byte) { return (byte & 0xC0) != 0x80; };
  return static_cast<size_t>(std::ranges::count_if(text, begins_character));
}

std::string padded(const std::string& text, size_t columns) {
  return text + std::string(columns - std::min(columns, columns_of(text)), ' ');
}

// The name in a column of its own, and the sentence wrapped beside it.
std::string entry(const std::string& name, const std::string& sentence) {
  std::string text, line = padded("  " + name, kNameColumns);
  const auto next_line = [&] {
    text += line + "\n";
    line = std::string(kNameColumns, ' ');
  };
  if (columns_of(line) > kNameColumns) next_line();
  std::istringstream words(sentence);
  for (std::string word; words >> word;) {
    if (columns_of(line) + columns_of(word) + 1 > kColumns) next_line();
    line += " " + word;
  }
  return text + line + "\n";
}

// "--[no-]trace" for what CLI11 calls "--trace,--no-trace{false}".
std::string flag_name(const std::string& name) {
  const size_t comma = name.find(",--no-");
  return comma == std::string::npos ? name : "--[no-]" + name.substr(2, comma - 2);
}

}  // namespace

std::string HelpFormat::make_group(std::string group, bool is_positional,
                                   std::vector<const CLI::Option*> options) const {
  // CLI11 parts the groups of options from each other, and from nothing else.
  const bool parted = !is_positional && group != "Options";
  std::string text = fmt::format("{}{}:\n", parted ? "" : "\n", group);
  for (const CLI::Option* option : options) text += make_option(option, is_positional);
  return text;
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name =
      is_positional ? option->get_name(true, false) : flag_name(option->get_name(false, true));
  std::string sentence = option->get_description();
  if (option->get_type_size() != 0) {
    const std::string type = option->get_type_name();
    const bool is_choice = type.find('|') != std::string::npos;
    if (!is_positional) name += is_choice ? " NAME" : " " + type;
    if (is_choice) {
      sentence += fmt::format(": {}", CLI::detail::find_and_replace(type, "|", ", "));
    }
    const std::string standard = option->get_default_str();
    if (!standard.empty() && !is_positional) sentence += fmt::format(" [{}]", standard);
  }
  return entry(name, sentence);
}

}  // namespace eqm::cli
