#include "eqm/codec/pictures.h"

#include <algorithm>

#include "eqm/base/error.h"
#include "eqm/codec/states.h"

namespace eqm {
namespace {

// [n, H, W, C] bytes, C 1 or 3.
Tensor drawable_bytes(const Tensor& states, const Codec& codec) {
  if (states.dim() != 4)
    throw Error(ErrorKind::usage, "only states of images can be drawn",
                "give them as [n, channels, height, width]");
  const int64_t channels = states.size(1);
  Tensor bytes;
  if (codec.has_autoencoder() || channels == 1 || channels == 3) {
    bytes = bytes_of(states, codec);
  } else {
    const Tensor shown = states.detach().narrow(1, 0, channels == 2 ? 1 : 3);
    const double least = shown.amin().item<double>(), most = shown.amax().item<double>();
    const double unit = 255 / std::max(1e-12, most - least);
    bytes = bytes_of(shown, Scaling{.centre = {-least * unit}, .unit = unit});
  }
  return bytes.permute({0, 2, 3, 1}).contiguous();
}

draw::Pixels pixels_of(const Image& image) {
  draw::Pixels pixels = {.width = image.width, .height = image.height};
  for (const uint8_t value : image.pixels) {
    pixels.rgb.insert(pixels.rgb.end(), image.channels == 1 ? 3U : 1U, value);
  }
  return pixels;
}

}  // namespace

std::vector<Image> pictures_of(const Tensor& states, const Codec& codec) {
  const Tensor bytes = drawable_bytes(states, codec);
  const auto each = static_cast<size_t>(bytes.numel() / std::max<int64_t>(1, bytes.size(0)));
  const auto* data = bytes.data_ptr<uint8_t>();
  std::vector<Image> images;
  for (int64_t i = 0; i < bytes.size(0); ++i, data += each) {
    images.push_back({.width = static_cast<int>(bytes.size(2)),
                      .height = static_cast<int>(bytes.size(1)),
                      .channels = static_cast<int>(bytes.size(3)),
                      .pixels = std::vector<uint8_t>(data, data + each)});
  }
  return images;
}

Image picture_grid(const Tensor& states, const Codec& codec, const draw::GridOptions& options) {
  std::vector<draw::Pixels> pictures;
  for (const Image& image : pictures_of(states, codec)) pictures.push_back(pixels_of(image));
  draw::Pixels pixels = draw::image_grid(pictures, options).to_pixels();
  return {.width = pixels.width,
          .height = pixels.height,
          .channels = 3,
          .pixels = std::move(pixels.rgb)};
}

Image picture_grid(const Tensor& states, const Codec& codec, int64_t columns,
                   const std::vector<std::string>& row_names, const std::string& title) {
  return picture_grid(
      states, codec,
      {.title = title, .columns = static_cast<int>(columns), .row_labels = row_names});
}

}  // namespace eqm
