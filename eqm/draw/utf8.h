// Names from outside may hold any bytes; cairo refuses text that is not UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace eqm::draw {

// `bytes` with every byte that is not part of valid UTF-8, and every control character, replaced by
// '?'.
std::string printable_utf8(std::string_view bytes);

}  // namespace eqm::draw
