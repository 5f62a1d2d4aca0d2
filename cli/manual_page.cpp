#include "cli/manual_page.h"

#include <cstdint>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  if (option.name == verb.positional()) text += "; may be given without its flag";
  const std::string value = is_switch(option) ? "" : fmt::format(" \\fI{}\\fR", value_word(option));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(head), value, roff(text));
}

std::string verb_section(const VerbOutline& entry) {
  const Verb& verb = *entry.verb;
  std::string page = fmt::format(".SS {}\n{}.\n", roff(verb.name()), roff(verb.summary()));
  page += paragraphs(verb.advice());
  page += fmt::format(".TP\n\\fB\\-\\-{}\\fR \\fIFILE\\fR\n{}\n", roff(verb.config_flag()),
                      "TOML file with any of these options; flags win over it");
  for (const Option& option : entry.options.options()) page += option_entry(verb, option);
  return page;
}

constexpr const char* kDate = "2026-11-18";  // of the last change to the page's own text

constexpr const char* kEnd = R"(.SH ENVIRONMENT
.TP
.B EQM_DATA
a folder that is searched for data sets by name, before ./data and ~/.cache/eqm
.TP
.B EQM_KERNELS
plain for the operators of LibTorch, or the name of an instruction set
.TP
.B OMP_NUM_THREADS
threads to compute with where \-\-threads is not given
.SH FILES
.TP
.I share/eqm/models
models that can be named without a path
.TP
.I share/eqm/recipes
recipes that can be named without a path
.PP
Both are found relative to the program.
.SH EXIT STATUS
0 on success, 2 for wrong usage, 3 for input that is not what it should be, 4 when the system refuses to read or
write, 5 when a computation leaves the finite numbers, 70 for a mistake of the program, 128 plus its number for a
signal.
)";

}  // namespace

std::string manual_page(const std::vector<VerbOutline>& outline) {
  std::string page = fmt::format(
      R"(.TH EQM 1 {} "eqm {}" "User Commands"
.SH NAME
eqm \- learn one gradient landscape and sample by descending it
.SH SYNOPSIS
.B eqm
.I VERB
.RI [ OPTION ...]
.br
.B eqm
.I VERB
.B \-\-help
.SH DESCRIPTION
Equilibrium Matching trains a gradient field that does not depend on time.
Samples are drawn by descending it.
.B eqm
trains such models, samples and evaluates them, and reads and writes the files of others.
.PP
Options may be given as \-\-name value or \-\-name=value.
Those of a verb can also stand in a TOML file.
.TP
.B \-\-help
shows the verbs, or the options of one
.TP
.B \-\-version
shows the version
.TP
.B \-\-quiet
no progress, warnings only
.TP
.B \-\-verbose
say more
.SH VERBS
)",
      kDate, version());
  for (const VerbOutline& entry : outline) page += verb_section(entry);
  return page + kEnd;
}

}  // namespace eqm::cli
