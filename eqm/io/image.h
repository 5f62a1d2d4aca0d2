// A picture in memory, eight bits per channel, and its decoding from either file format (png.h,
// jpeg.h). Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace eqm {

// Pixels row by row, channels interleaved.
struct Image {
  int width = 0;
  int height = 0;
  int channels = 3;             // 1 grey, 3 RGB, 4 RGBA
  std::vector<uint8_t> pixels;  // [height, width, channels]
};

// Half a gigabyte as RGBA: the pictures of large cameras pass, and what a bomb of a megabyte
// unpacks to still leaves room in a small machine. (Pillow warns from 89 million on and refuses
// 179.)
inline constexpr uint64_t kMaxImagePixels = uint64_t{1} << 27;

// What is wrong with an image's size, channels or number of bytes; nothing when all is well.
std::optional<std::string> problem_of(const Image& image);

// What a file says of its picture before anything is decoded.
struct ImageHeader {
  int width = 0;
  int height = 0;
  int channels = 3;  // that its decoded image will have
};

// As decode_image, but of the first bytes only: what follows may still be damaged.
ImageHeader read_image_header(std::span<const std::byte> bytes, const std::string& source);

// PNG or JPEG, detected by their first bytes. Kind input when they are neither or damaged;
// `source` is named in errors.
Image decode_image(std::span<const std::byte> bytes, const std::string& source);

}  // namespace eqm
