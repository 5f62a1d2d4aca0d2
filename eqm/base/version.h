// Which eqm this is.
#pragma once

#include <string>

namespace eqm {

std::string version();        // "0.1.0"
std::string software_name();  // "eqm 0.1.0", as files say what made them

}  // namespace eqm
