// Strict UTF-8. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace eqm {

// Decodes the code point at `position` and moves behind it. Nothing, and no move, when the bytes
// there are not valid UTF-8 (overlong forms, surrogates and values past U+10FFFF included).
std::optional<char32_t> next_code_point(std::string_view text, size_t& position);

bool is_utf8(std::string_view text);

}  // namespace eqm
