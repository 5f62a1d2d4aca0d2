// The command line as a list of words: what CLI11 would take in silence or refuse in words of its
// own is judged here.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace eqm::cli {

// Before parsing: refuses `++` (a separator to CLI11), `--name=` (it would swallow the next word)
// and values for switches that take none. `see` is the hint.
void check_words(const std::vector<std::string>& words, const std::string& see);

// After parsing: refuses options given more than once.
void check_repeats(const CLI::App& app, const std::string& see);

// What a failure to parse means.
[[noreturn]] void refuse_words(const CLI::ParseError& error, const std::vector<std::string>& words,
                               const std::string& see);

[[noreturn]] void refuse_missing_value(const std::string& flag, const std::string& see);

}  // namespace eqm::cli
