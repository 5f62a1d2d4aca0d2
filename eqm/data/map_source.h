// A source whose examples pass through a function: crop, convert, scale.
#pragma once

#include <functional>
#include <string>

#include "eqm/data/source.h"

namespace eqm {

// Pure, and called from several threads at once.
using ExampleFunction = std::function<Example(Example)>;

// `description` names the function with its numbers ("centre crop to 32"): it enters the
// fingerprint. An error of the function is passed on with the name of the example before it.
SourcePtr map_source(SourcePtr inner, std::string description, ExampleFunction function);

}  // namespace eqm
