// Completion scripts for shells. Names of models, recipes and data sets are those of the moment at
// which a script is written.
#pragma once

#include <string>
#include <vector>

#include "cli/outline.h"

namespace eqm::cli {

std::string bash_completion(const std::vector<VerbOutline>& outline);
std::string zsh_completion(const std::vector<VerbOutline>& outline);
std::string fish_completion(const std::vector<VerbOutline>& outline);

}  // namespace eqm::cli
