// IDX files made in memory.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace eqm::test {

// Magic number, dimensions, elements.
inline std::string idx_bytes(uint32_t magic, std::initializer_list<uint32_t> shape,
                             const std::string& elements) {
  std::string file;
  const auto put = [&file](uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) file.push_back(static_cast<char>(number >> shift));
  };
  put(magic);
  for (const uint32_t dimension : shape) put(dimension);
  return file + elements;
}

inline constexpr uint32_t kIdxLabels = 0x801;
inline constexpr uint32_t kIdxImages = 0x803;

}  // namespace eqm::test
