// How the terminal writes options: in help, completions and the manual page.
#pragma once

#include <string>
#include <string_view>

#include "eqm/base/options.h"

namespace eqm::cli {

inline bool is_switch(const Option& option) {
  return std::holds_alternative<bool>(option.standard);
}

// "NAME", "COUNT", "NUMBER" or "TEXT": what stands for an option's value in help.
std::string value_word(const Option& option);

// How the terminal writes the key of an option: "--eta".
std::string as_flag(std::string_view key);

// The help of an option with its range, as the terminal writes it.
std::string help_text(const Option& option);

// That of the flag for a file of options.
inline constexpr const char* kConfigHelp = "TOML file with any of these options; flags win over it";

}  // namespace eqm::cli
