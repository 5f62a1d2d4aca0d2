// Small text helpers of the readers and writers: strict UTF-8, Latin-1 (what PNG keywords are made
// of), and untrusted strings made fit for one line of an error message. Pure functions, safe from
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eqm {

// Decodes the code point at `position` and moves behind it. Nothing, and no move, when the bytes
// there are not valid UTF-8 (overlong forms, surrogates and values past U+10FFFF included).
std::optional<char32_t> next_code_point(std::string_view text, size_t& position);

bool is_utf8(std::string_view text);

// Nothing when the text is not UTF-8 or holds a character past U+00FF.
std::optional<std::string> latin1_from_utf8(std::string_view text);

std::string utf8_from_latin1(std::string_view text);

// 'text' in single quotes: control characters and broken UTF-8 as \xNN, long text cut short with
// "...".
std::string in_quotes(std::string_view text);

}  // namespace eqm
