// CRC-32C (Castagnoli), the check sum of TFRecord files and of checkpoints. A pure function, safe
// from any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace eqm {

uint32_t crc32c(std::string_view bytes);

}  // namespace eqm
