// Checks of a file that a verb is to write, before any work.
#pragma once

#include <string>

namespace eqm::app {

// A usage error when `out` is the very file that is read: it would be lost, or changed by being
// read.
void require_another_file(const std::string& out, const std::string& input);

// A usage error unless `out` ends with .safetensors, which is what others go by.
void require_safetensors_name(const std::string& out);

}  // namespace eqm::app
