// A SiT told from the names and shapes of its weights, without building it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eqm/backbone/sit.h"

namespace eqm {

// What shapes cannot tell.
struct SitHints {
  int64_t heads = 0;    // 0: those of the preset of this width
  int64_t classes = 0;  // 0: the label table has a row for the null class
};

// Every parameter of a checked configuration, by name.
std::vector<std::pair<std::string, Shape>> sit_weight_shapes(const SitConfig& config);

// The configuration whose weights these are. An input error for weights of something else, with the
// first name or shape that does not fit; a usage error when the heads must be given.
SitConfig sit_config_from_shapes(const std::map<std::string, Shape>& shapes, const SitHints& hints);

}  // namespace eqm
