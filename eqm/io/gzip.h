// Gzip files, unpacked into memory within a limit that the caller sets. Lengths and checksums are
// verified (libarchive's own gzip reader leaves them alone). Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace eqm {

// By the first bytes.
bool is_gzip(std::span<const std::byte> bytes);

// Several members in a row are one content, and zero bytes may follow the last one (tapes pad with
// them); anything else that follows is damage. Kind input, naming `source`, when the bytes are
// damaged, end early or hold more than `max_bytes`.
std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& source,
                              uint64_t max_bytes);

// A file's content, unpacked if it is gzip. Kind io when the file cannot be read; kind input as
// gunzip, and for a plain file of more than `max_bytes`.
std::vector<std::byte> read_maybe_gzip(const std::filesystem::path& path, uint64_t max_bytes);

}  // namespace eqm
