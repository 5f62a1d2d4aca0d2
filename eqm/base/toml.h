// Options from and to TOML. Tables are the options' sections.
//
// A file may build on another one by `base = "other.toml"` at its top, with a path relative to
// itself: the other's keys are read first, then its own. So `base` cannot name an option.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
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
// for, or the name itself. An Error of it is reported with the place of the `base`, as kind input.
using BaseFinder = std::function<std::filesystem::path(const std::string& name)>;

void read_toml_file(OptionSet& options, const std::filesystem::path& path,
                    BaseFinder find_base = {});

// Declares the options of one more entry of a list; what it binds must live until they are read.
using EntryDeclarer = std::function<void(OptionSet& options)>;

// A file of lists: `top` has its keys outside lists, and each entry `[[name]]` is read into the
// options that the declarer of that name declares for it, in their order. Refuses as read_toml()
// does; a list of another name is an unknown key. There is no `base`.
void read_toml_lists(const std::filesystem::path& path, OptionSet& top,
                     const std::map<std::string, EntryDeclarer>& lists);

// All options with their present values and their help as comments: a file that reads back to the
// same.
std::string to_toml(const OptionSet& options);

}  // namespace eqm
