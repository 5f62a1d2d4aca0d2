#include "eqm/io/image.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/jpeg.h"
#include "eqm/io/png.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr std::array<uint8_t, 8> kPngMagic = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
// Start of image, and the 0xFF of whichever marker follows.
constexpr std::array<uint8_t, 3> kJpegMagic = {0xFF, 0xD8, 0xFF};

template <size_t N>
bool starts_with(std::span<const std::byte> bytes, const std::array<uint8_t, N>& magic) {
  return bytes.size() >= N &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](uint8_t wanted, std::byte found) { return std::byte{wanted} == found; });
}

[[noreturn]] void refuse_image(std::span<const std::byte> bytes, const std::string& source) {
  throw Error(ErrorKind::input,
              fmt::format("cannot read {} as a picture: {}", in_quotes(source),
                          bytes.empty() ? "it is empty" : "its format is not known"),
              "PNG and JPEG are read");
}

}  // namespace

std::optional<std::string> problem_of(const Image& image) {
  if (image.width <= 0 || image.height <= 0) {
    return fmt::format("{} by {} pixels", image.width, image.height);
  }
  if (image.channels != 1 && image.channels != 3 && image.channels != 4) {
    return fmt::format("{} channels", image.channels);
  }
  const uint64_t pixels = static_cast<uint64_t>(image.width) * static_cast<uint64_t>(image.height);
  if (pixels > kMaxImagePixels) {
    return fmt::format("{} pixels; {} are allowed", pixels, kMaxImagePixels);
  }
  if (image.pixels.size() != pixels * static_cast<uint64_t>(image.channels)) {
    return fmt::format("{} bytes for {} by {} pixels of {} channels", image.pixels.size(),
                       image.width, image.height, image.channels);
  }
  return std::nullopt;
}

ImageHeader read_image_header(std::span<const std::byte> bytes, const std::string& source) {
  if (starts_with(bytes, kPngMagic)) return read_png_header(bytes, source);
  if (starts_with(bytes, kJpegMagic)) return read_jpeg_header(bytes, source);
  refuse_image(bytes, source);
}

Image decode_image(std::span<const std::byte> bytes, const std::string& source) {
  if (starts_with(bytes, kPngMagic)) return decode_png(bytes, source);
  if (starts_with(bytes, kJpegMagic)) return decode_jpeg(bytes, source);
  refuse_image(bytes, source);
}

}  // namespace eqm
