// Options from and to TOML. Tables are the options' sections.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "eqm/base/options.h"

namespace eqm {

// Sets every option named in the text. Unknown keys, keys in the wrong table, wrong types and
// values out of range throw an input error that names the line. `origin` stands for the file in
// messages.
void read_toml(OptionSet& options, std::string_view text, std::string_view origin);
void read_toml_file(OptionSet& options, const std::filesystem::path& path);

// All options with their present values and their help as comments: a file that reads back to the
// same.
std::string to_toml(const OptionSet& options);

}  // namespace eqm
