// Options from and to TOML. Tables are the options' sections.
//
// A file may build on another one by `base = "other.toml"` at its top, with a path relative to
// itself: the other's keys are read first, then its own. So `base` cannot name an option.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "eqm/base/options.h"

namespace eqm {

// Sets every option named in the text. Unknown keys, keys in the wrong table, wrong types and
// values out of range throw an input error that names the file and the line. `origin` stands for
// the file in messages. Text has no place on the disk: `base` is refused unless a folder is given.
void read_toml(OptionSet& options, std::string_view text, std::string_view origin,
               const std::filesystem::path& folder = {});

// Asked for a `base` that is no file where its path leads: answers the file that the name stands
// for, or the name itself. An Error of it is told with the place of the `base`, as kind input.
using BaseFinder = std::function<std::filesystem::path(const std::string& name)>;

void read_toml_file(OptionSet& options, const std::filesystem::path& path,
                    BaseFinder find_base = {});

// All options with their present values and their help as comments: a file that reads back to the
// same.
std::string to_toml(const OptionSet& options);

}  // namespace eqm
