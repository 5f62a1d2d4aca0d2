// Text of other people's files made fit for a terminal: control characters, which could move its
// cursor or change its colours, and broken UTF-8 as \xNN. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eqm {

// Appends the character that begins at `position`, which moves behind it.
void append_printable(std::string& out, std::string_view text, size_t& position);

std::string printable(std::string_view text);

}  // namespace eqm
