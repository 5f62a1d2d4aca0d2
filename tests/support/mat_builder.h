// MATLAB files of level 5 by hand, whole or wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <zlib.h>

#include "tests/support/zip_builder.h"

namespace eqm::test {

inline std::string mat_header(const std::string& version = std::string("\0\1IM", 4)) {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  return header + version;
}

// A tag, its data and zeros up to a multiple of eight.
inline std::string mat_element(uint32_t type, const std::string& data) {
  std::string element = little(type, 4) + little(data.size(), 4) + data;
  element.resize((element.size() + 7) / 8 * 8, '\0');
  return element;
}

// At most four bytes within the tag.
inline std::string mat_small(uint32_t type, std::string data) {
  const std::string tag = little(type, 2) + little(data.size(), 2);
  data.resize(4, '\0');
  return tag + data;
}

struct MadeMatrix {
  std::string name = "X";
  std::vector<int32_t> shape = {2, 2};
  std::string data = "abcd";
  uint32_t kind = 9;     // the class: uint8
  uint32_t storage = 2;  // uint8
  uint32_t flags = 0;
};

// The parts of a matrix, without its tag.
inline std::string mat_parts(const MadeMatrix& matrix) {
  std::string dimensions;
  for (const int32_t size : matrix.shape) dimensions += little(static_cast<uint32_t>(size), 4);
  return mat_element(6, little(matrix.kind | matrix.flags << 8, 4) + little(0, 4)) +
         mat_element(5, dimensions) + mat_element(1, matrix.name) +
         mat_element(matrix.storage, matrix.data);
}

inline std::string mat_matrix(const MadeMatrix& matrix) {
  return mat_element(14, mat_parts(matrix));
}

// Deflated, which has no padding.
inline std::string mat_packed(const std::string& content) {
  std::string packed(compressBound(content.size()), '\0');
  auto size = static_cast<uLongf>(packed.size());
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(content.data()), content.size());
  packed.resize(size);
  return little(15, 4) + little(packed.size(), 4) + packed;
}

}  // namespace eqm::test
