// Names of classes go into JSON, which is UTF-8.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eqm/data/source.h"

namespace eqm {

// Kind input, naming it, when the name of a class is not UTF-8.
void require_utf8_classes(const Source& source);

// A text file with one name per line; empty lines do not count. Kind input, with this hint, when it
// has none or is not UTF-8.
std::vector<std::string> read_class_names(const std::filesystem::path& path,
                                          const std::string& hint);

}  // namespace eqm
