// Finds the files inside the bytes of a plain tar, through libarchive. Internal to io; users want
// archive.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/archive.h"

namespace eqm {

// Reads the headers of a tar that arrives piece by piece, up to the mark of its end, and throws at
// the first that is wrong. `next` gives bytes that live until it is called again, none at the end;
// `enter` is called with the size that each header announces; what either throws passes through.
// Errors are of kind input and name `source`.
void skim_tar(const std::function<std::span<const std::byte>()>& next,
              const std::function<void(uint64_t size)>& enter, const std::string& source);

// The entries are views of `bytes`. Errors are of kind input and name `source`.
std::vector<TarEntry> read_tar(std::span<const std::byte> bytes, const std::string& source);

}  // namespace eqm
