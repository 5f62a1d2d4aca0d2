// Examples that are in memory already, such as samples that were just drawn.
#pragma once

#include <string>
#include <vector>

#include "eqm/data/source.h"

namespace eqm {

// `name` is what messages call them. Labels are below the number of class names, or kNoLabel.
SourcePtr memory_source(std::vector<Example> examples, std::vector<std::string> class_names,
                        std::string name);

}  // namespace eqm
