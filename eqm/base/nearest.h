// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace eqm {

// The number of insertions, deletions, substitutions and swaps of neighbours between two words.
int edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `word`; empty when none is close enough to be what was meant.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// "did you mean 'eta'?", or "one of: a, b, c" when no candidate is close.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace eqm
