// The library names an option by its key in braces ("raise {limit}"), because it does not know how
// its caller spells options. Whoever shows such a text renders the keys: the terminal as --limit,
// JSON as "limit".
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace eqm {

// How an option is written for its reader, given its key.
using KeyStyle = std::function<std::string(std::string_view key)>;

// The text with every {key} replaced. A key is lower-case letters, digits and hyphens, and starts
// with a letter; other braces stay as they are.
std::string render_keys(std::string_view text, const KeyStyle& style);

// The key by itself, as in a TOML file.
std::string bare_key(std::string_view key);

}  // namespace eqm
