// Names that the value of an option may have, for doors that offer them: completions, forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eqm/app/uses.h"

namespace eqm::app {

// The option's choices, or what the catalogue has for it; empty where any text will do.
std::vector<std::string> known_values(const Use& use, const Option& option);

// The same for the file of the use's options.
std::vector<std::string> known_option_files(const Use& use);

// Whether the value may be the path of a file or folder.
bool may_be_path(const Option& option);

}  // namespace eqm::app
