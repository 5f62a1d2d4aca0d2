// All verbs with their declared options, for what is written from these declarations: shell
// completions and the manual page.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"

namespace eqm::cli {

struct VerbOutline {
  std::unique_ptr<Verb> verb;  // what the options refer to
  OptionSet options;
};

std::vector<VerbOutline> program_outline();

inline bool is_switch(const Option& option) {
  return std::holds_alternative<bool>(option.standard);
}

// Names that the value of an option may have: its choices, or what `eqm list` knows for it; empty
// where any text will do.
std::vector<std::string> known_values(const Verb& verb, const Option& option);

// The same for the verb's file of options (--config, --recipe).
std::vector<std::string> known_configs(const Verb& verb);

// Whether the value may be the path of a file or folder.
bool may_be_path(const Option& option);

// "NAME", "COUNT", "NUMBER" or "TEXT": what stands for an option's value in help.
std::string value_word(const Option& option);

// How the terminal writes the key of an option: "--eta".
std::string as_flag(std::string_view key);

// The help of an option with its range, as the terminal writes it.
std::string help_text(const Option& option);

}  // namespace eqm::cli
