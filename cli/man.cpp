// eqm man: the manual page, in the macros of man(7) and in ASCII, from the declared options.

#include <cstdint>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/embedded_text.h"
#include "cli/option_text.h"
#include "cli/verb.h"
#include "eqm/base/version.h"

namespace eqm::cli {
namespace {

// What a character of UTF-8 is; 0 within one. The text is our own, so that it is sound.
uint32_t code_point(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[i])); };
  const uint32_t first = byte(at);
  if ((first & 0xC0) == 0x80) return 0;
  if (first < 0x80) return first;
  const size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  uint32_t code = first & (0x3FU >> more);
  for (size_t i = 1; i <= more && at + i < text.size(); ++i)
    code = code << 6 | (byte(at + i) & 0x3F);
  return code;
}

// Text as roff has it: hyphens that can be copied, characters beyond ASCII by their numbers, and
// nothing that is taken for a request at the beginning of a line.
std::string roff(const std::string& text) {
  std::string safe = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (size_t i = 0; i < text.size(); ++i) {
    const uint32_t code = code_point(text, i);
    if (code == 0) continue;
    if (code >= 0x80) {
      safe += fmt::format("\\[u{:04X}]", code);
    } else if (code == '\\') {
      safe += "\\e";
    } else if (code == '-') {
      safe += "\\-";
    } else {
      safe += static_cast<char>(code);
    }
  }
  return safe;
}

// Paragraphs as they are; what is indented stays line by line.
std::string paragraphs(const std::string& text) {
  std::string page;
  bool example = false, begin = true;
  const auto show_examples = [&](bool shown) {
    if (shown != example) page += shown ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n";
    example = shown;
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      begin = true;
      continue;
    }
    const bool indented = line.starts_with("  ");
    show_examples(indented);
    if (!indented && begin) page += ".PP\n";
    begin = false;
    page += roff(indented ? line.substr(2) : line) + "\n";
  }
  show_examples(false);
  return page;
}

std::string option_entry(const Verb& verb, const Option& option) {
  std::string head = is_switch(option) ? "--[no-]" + option.name : "--" + option.name;
  std::string text = help_text(option);
  if (!option.choices.empty()) text += fmt::format(": {}", fmt::join(option.choices, ", "));
  const std::string standard = to_text(option.standard);
  if (is_switch(option)) {
    text += std::get<bool>(option.standard) ? " [on]" : " [off]";
  } else if (!standard.empty()) {
    text += fmt::format(" [{}]", standard);
  }
  if (option.name == verb.use().subject) text += "; may be given without its flag";
  const std::string value = is_switch(option) ? "" : fmt::format(" \\fI{}\\fR", value_word(option));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(head), value, roff(text));
}

std::string verb_section(const Verb& verb) {
  std::string page = fmt::format(".SS {}\n{}.\n", roff(verb.name()), roff(verb.use().summary));
  page += paragraphs(advice_of(verb.name()));
  page += fmt::format(".TP\n\\fB\\-\\-{}\\fR \\fIFILE\\fR\n{}\n", roff(verb.use().file_key),
                      kConfigHelp);
  for (const Option& option : verb.options().options()) page += option_entry(verb, option);
  return page;
}

struct ManOptions {
  void declare(OptionSet&) {}
};

bool print_manual_page(const ManOptions&, Host&) {
  std::cout << filled_text("manual/begin.1", {{"VERSION", version()}});
  for (const auto& verb : all_verbs()) std::cout << verb_section(*verb);
  std::cout << embedded_text("manual/end.1");
  return false;
}

}  // namespace

std::unique_ptr<Verb> man_verb() {
  return verb_of(use_of<ManOptions>("man", "Writes the manual page"), print_manual_page);
}

}  // namespace eqm::cli
