// Pictures as JPEG files, through libjpeg-turbo with its accurate transform and smooth chroma: the
// pixels are those of Pillow. The rotation a camera may have noted in EXIF is ignored; pixels come
// in the order the file stores them. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "eqm/io/image.h"

namespace eqm {

// The largest side libjpeg-turbo writes.
inline constexpr int kMaxJpegSide = 65'500;

// Kind input when the bytes are not a whole, undamaged JPEG of at most kMaxImagePixels; `source` is
// named in errors. What libjpeg calls a warning (data that ends early, bytes that belong to
// nothing) is damage too, but whatever follows the end of the image is not looked at. Grey stays
// one channel, all else becomes RGB; CMYK is taken as Adobe's inverted kind, as Pillow does.
Image decode_jpeg(std::span<const std::byte> bytes, const std::string& source);

// The same of the header, without decoding.
ImageHeader read_jpeg_header(std::span<const std::byte> bytes, const std::string& source);

// Baseline, colour at half resolution (4:2:0), `quality` from 1 to 100. Kind usage for anything but
// a well-formed grey or RGB image.
std::vector<std::byte> encode_jpeg(const Image& image, int quality);

}  // namespace eqm
