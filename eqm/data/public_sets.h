// Data sets that everybody knows by name and that have to be downloaded: what to do when someone
// asks for one by its name alone.
#pragma once

#include <string>
#include <string_view>

namespace eqm {

// Where to get the set and what to give in place of its name; empty for names that mean none.
// Letters of any case, hyphens and underscores do not matter, and of a path the last part counts:
// "CIFAR-10", "data/cifar10".
std::string how_to_get(std::string_view name);

}  // namespace eqm
