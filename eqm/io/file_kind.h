// Tells what a file holds by its first bytes, looking inside gzip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace eqm {

enum class FileKind { idx, tar, safetensors, zip, mat, picture, unknown };

// Kind io when the file cannot be read. A gzip file is what its content is.
FileKind kind_of_file(const std::filesystem::path& path);

// The same from the first bytes of the content; 512 suffice.
FileKind kind_of_bytes(std::span<const std::byte> bytes);

}  // namespace eqm
