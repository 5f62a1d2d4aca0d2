// Names of classes as names of folders, and the other way round. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/data/source.h"

namespace eqm {

// A folder for each class, all different: the class name where a folder may be called so, and
// where a folder of that name is not taken for something else (arrangement.h).
std::vector<std::string> class_folders(const std::vector<std::string>& names);

// The same for classes without names: numbers with leading zeros, which sort as numbers do.
std::vector<std::string> numbered_folders(int64_t classes);

// For each name the class of `known` that is meant: by its name, by that of its folder, or by its
// number; -1 for none.
std::vector<int64_t> match_classes(const std::vector<std::string>& names,
                                   const std::vector<std::string>& known);

// The same for the classes of a source: labels of a file without names are numbers, whatever the
// known classes are called.
std::vector<int64_t> match_classes(const Source& source, const std::vector<std::string>& known);

}  // namespace eqm
