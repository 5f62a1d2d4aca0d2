// IDX files, the format of MNIST and its relatives: a big-endian magic number that names element
// type and rank, the dimensions, then the elements. Only bytes are understood. The file may be
// gzipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace eqm {

// MNIST unpacks to 47 MB; what passes this does not fit a training machine's memory beside a model.
inline constexpr uint64_t kMaxIdxBytes = uint64_t{1} << 33;

struct IdxArray {
  std::vector<int64_t> shape;
  std::vector<std::byte> file;  // header and elements

  std::span<const std::byte> elements() const {
    return std::span(file).subspan(4 + 4 * shape.size());
  }
};

// Unsigned bytes of the given rank (1: labels, 3: images [n, H, W]). Kind io when the file cannot
// be read, kind input when it is of another kind or its length disagrees with its header.
IdxArray read_idx(const std::filesystem::path& path, size_t rank);

// The same from memory; `source` is named in errors.
IdxArray parse_idx(std::vector<std::byte> file, size_t rank, const std::string& source);

}  // namespace eqm
