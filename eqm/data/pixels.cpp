#include "eqm/data/pixels.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

[[noreturn]] void refuse_pixels(const std::string& problem) {
  throw Error(ErrorKind::usage, "cannot use an example as a picture: " + problem,
              "a picture is bytes in the shape [channels, height, width]");
}

// ITU-R 601-2 luma with Pillow's 16-bit weights, which sum to 65536.
std::byte grey_of(uint32_t red, uint32_t green, uint32_t blue) {
  return static_cast<std::byte>((red * 19'595 + green * 38'470 + blue * 7'471 + 0x8000) >> 16);
}

}  // namespace

PlaneSize plane_size(const Example& pixels) {
  if (pixels.dtype != Dtype::u8) refuse_pixels(fmt::format("it holds {}", name_of(pixels.dtype)));
  const auto& shape = pixels.shape;
  const bool is_picture =
      shape.size() == 3 && std::all_of(shape.begin(), shape.end(), [](int64_t n) { return n > 0; });
  if (!is_picture) refuse_pixels(fmt::format("its shape is [{}]", fmt::join(shape, ", ")));
  if (byte_count(Dtype::u8, shape) != pixels.bytes.size()) {
    refuse_pixels(
        fmt::format("{} bytes in the shape [{}]", pixels.bytes.size(), fmt::join(shape, ", ")));
  }
  return {.channels = shape[0], .height = shape[1], .width = shape[2]};
}

Example example_from_image(const Image& image, int64_t channels, int64_t label) {
  if (const auto problem = problem_of(image)) refuse_pixels(*problem);
  if (channels != 1 && channels != 3)
    refuse_pixels(fmt::format("{} channels are wanted", channels));
  const auto stride = static_cast<size_t>(image.channels);
  const size_t plane = image.pixels.size() / stride;
  Example example{.dtype = Dtype::u8,
                  .shape = {channels, image.height, image.width},
                  .bytes = std::vector<std::byte>(static_cast<size_t>(channels) * plane),
                  .label = label};
  const uint8_t* from = image.pixels.data();
  std::byte* to = example.bytes.data();
  if (channels == 1 && stride > 1) {
    for (size_t i = 0; i < plane; ++i, from += stride) to[i] = grey_of(from[0], from[1], from[2]);
    return example;
  }
  for (size_t channel = 0; channel < static_cast<size_t>(channels); ++channel, to += plane) {
    const uint8_t* first = from + (stride > 1 ? channel : 0);
    for (size_t i = 0; i < plane; ++i) to[i] = static_cast<std::byte>(first[i * stride]);
  }
  return example;
}

bool is_coloured(const Image& image) {
  constexpr int kVisible = 8;  // levels of 256; compression makes grey differ by less
  if (image.channels < 3) return false;
  const auto step = static_cast<size_t>(image.channels);
  for (size_t i = 0; i + 2 < image.pixels.size(); i += step) {
    const int red = image.pixels[i], green = image.pixels[i + 1], blue = image.pixels[i + 2];
    const auto [least, most] = std::minmax({red, green, blue});
    if (most - least > kVisible) return true;
  }
  return false;
}

Image image_from_planes(const Example& pixels) {
  const PlaneSize size = plane_size(pixels);
  if (size.channels != 1 && size.channels != 3 && size.channels != 4) {
    refuse_pixels(fmt::format("it has {} channels", size.channels));
  }
  const auto plane = static_cast<size_t>(size.height * size.width);
  if (plane > kMaxImagePixels) {
    refuse_pixels(fmt::format("{} pixels; {} are allowed", plane, kMaxImagePixels));
  }
  Image image{.width = static_cast<int>(size.width),
              .height = static_cast<int>(size.height),
              .channels = static_cast<int>(size.channels),
              .pixels = std::vector<uint8_t>(pixels.bytes.size())};
  const auto stride = static_cast<size_t>(size.channels);
  for (size_t channel = 0; channel < stride; ++channel) {
    const std::byte* from = pixels.bytes.data() + channel * plane;
    uint8_t* to = image.pixels.data() + channel;
    for (size_t i = 0; i < plane; ++i) to[i * stride] = std::to_integer<uint8_t>(from[i]);
  }
  return image;
}

}  // namespace eqm
