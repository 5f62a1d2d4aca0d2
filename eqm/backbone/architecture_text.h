// An architecture's JSON in a line for people.
#pragma once

#include <string>

namespace eqm {

// "sit: depth 12, hidden_size 384, ..."
std::string architecture_text(const std::string& architecture);

}  // namespace eqm
