// Finds the files inside the bytes of a plain tar, through libarchive. Internal to io; users want
// archive.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/archive.h"

namespace eqm {

// The entries are views of `bytes`. Errors are of kind input and name `source`.
std::vector<TarEntry> read_tar(std::span<const std::byte> bytes, const std::string& source);

}  // namespace eqm
