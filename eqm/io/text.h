// Small text helpers of the readers and writers: Latin-1 (what PNG keywords are made of), and
// untrusted strings made fit for one line of an error message. Pure functions, safe from any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eqm/base/utf8.h"

namespace eqm {

// Nothing when the text is not UTF-8 or holds a character past U+00FF.
std::optional<std::string> latin1_from_utf8(std::string_view text);

std::string utf8_from_latin1(std::string_view text);

// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

// The trimmed parts between commas; an empty text has one part, which is empty.
std::vector<std::string> comma_parts(std::string_view text);

// 'text' in single quotes: control characters and broken UTF-8 as \xNN, long text cut short with
// "...".
std::string in_quotes(std::string_view text);

}  // namespace eqm
