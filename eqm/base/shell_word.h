// Text as one word of a shell's command line, for commands that people are told to run.
#pragma once

#include <string>
#include <string_view>

namespace eqm {

// In single quotes, whatever it is.
std::string single_quoted(std::string_view text);

// As it is where a shell takes it so, else in single quotes.
std::string shell_word(std::string_view text);

}  // namespace eqm
