#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/jpeg.h"
#include "eqm/io/jpeg_context.h"

namespace eqm {
namespace {

[[noreturn]] void refuse_to_write_jpeg(const std::string& problem) {
  throw Error(ErrorKind::usage, "cannot write a JPEG: " + problem,
              "it takes width, height, 1 or 3 channels of bytes, and a quality from 1 to 100");
}

void check(const Image& image, int quality) {
  if (const auto problem = problem_of(image)) refuse_to_write_jpeg(*problem);
  if (image.channels == 4) refuse_to_write_jpeg("4 channels, but the format has no transparency");
  if (image.width > kMaxJpegSide || image.height > kMaxJpegSide) {
    refuse_to_write_jpeg(fmt::format("{} by {} pixels; {} a side are allowed", image.width,
                                     image.height, kMaxJpegSide));
  }
  if (quality < 1 || quality > 100) refuse_to_write_jpeg(fmt::format("quality {}", quality));
}

}  // namespace

std::vector<std::byte> encode_jpeg(const Image& image, int quality) {
  check(image, quality);
  const JpegContext context = own_jpeg_context(tjInitCompress());
  const bool is_grey = image.channels == 1;
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  const int status = tjCompress2(context.get(), image.pixels.data(), image.width, 0, image.height,
                                 is_grey ? TJPF_GRAY : TJPF_RGB, &buffer, &size,
                                 is_grey ? TJSAMP_GRAY : TJSAMP_420, quality, TJFLAG_ACCURATEDCT);
  const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(buffer, &tjFree);
  if (status != 0) {
    throw Error(ErrorKind::internal,
                fmt::format("TurboJPEG cannot encode: {}", tjGetErrorStr2(context.get())));
  }
  const auto* begin = reinterpret_cast<const std::byte*>(buffer);
  return {begin, begin + size};
}

}  // namespace eqm
