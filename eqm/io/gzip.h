// Whole files that may be gzipped, told by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace eqm {

// The content, unpacked when it is gzip. Kind input when it passes `max_bytes` or is damaged.
std::vector<std::byte> read_maybe_gzip(const std::filesystem::path& path, uint64_t max_bytes);

}  // namespace eqm
