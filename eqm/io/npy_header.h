// The header of NumPy's .npy format: element type, order and shape as a Python literal, which is
// read by a grammar of its own and never evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/tensor_view.h"

namespace eqm {

struct NpyHeader {
  Dtype dtype = Dtype::u8;
  std::vector<int64_t> shape = {};
  bool fortran_order = false;  // column-major
};

// The first bytes of every .npy file, up to the header's length; twelve suffice.
inline constexpr size_t kNpyPrefix = 12;

// How long header and prefix are together, from the first kNpyPrefix bytes. `source` is named in
// errors, which are of kind input.
size_t npy_header_size(std::span<const std::byte> prefix, const std::string& source);

// From npy_header_size() bytes. Refuses Python objects, records, text and big-endian numbers.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& source);

// The header as NumPy writes it, in exactly `size` bytes.
std::string npy_header(const NpyHeader& header, size_t size);

// Enough bytes for this header whatever its first dimension grows to, so that the data begin at a
// multiple of 64.
size_t npy_header_room(NpyHeader header);

}  // namespace eqm
