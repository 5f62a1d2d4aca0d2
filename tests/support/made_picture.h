// Pictures of one colour, as files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eqm/io/jpeg.h"
#include "eqm/io/png.h"

namespace eqm::test {

inline Image plain_image(int width, int height, int channels, uint8_t value) {
  return {.width = width,
          .height = height,
          .channels = channels,
          .pixels = std::vector<uint8_t>(static_cast<size_t>(width * height * channels), value)};
}

inline std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::string png_of(const Image& image) {
  return text_of(encode_png(image));
}

inline std::string jpeg_of(const Image& image) {
  return text_of(encode_jpeg(image, 100));
}

}  // namespace eqm::test
