// The program's manual page, in the macros of man(7) and in ASCII.
#pragma once

#include <string>
#include <vector>

#include "cli/outline.h"

namespace eqm::cli {

std::string manual_page(const std::vector<VerbOutline>& outline);

}  // namespace eqm::cli
