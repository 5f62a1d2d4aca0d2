#include <string_view>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/jpeg.h"
#include "eqm/io/jpeg_context.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// Huffman codes have at least one bit, and each block of 8 by 8 pixels has at least one code, so
// fewer bytes than this cannot hold the picture, and memory need not be reserved to find out.
// (Arithmetic coding could, but only for a picture of nothing.)
constexpr uint64_t kMaxPixelsPerByte = uint64_t{64} * 8;

// The first warning ends the decoding, and so does a number of scans that only an attack has.
constexpr int kDecodeFlags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;

// One file being decoded; errors name its source.
class Decoder {
 public:
  Decoder(std::span<const std::byte> bytes, const std::string& source)
      : bytes_(bytes), source_(source), context_(own_jpeg_context(tjInitDecompress())) {}

  ImageHeader describe() const {
    const Header header = checked_header();
    const int channels = header.colours == TJCS_GRAY ? 1 : 3;
    return {.width = header.width, .height = header.height, .channels = channels};
  }

  Image decode() const {
    const Header header = checked_header();
    const bool is_cmyk = header.colours == TJCS_CMYK || header.colours == TJCS_YCCK;
    if (is_cmyk) return rgb_from_cmyk(decode_as(header, TJPF_CMYK, 4));
    if (header.colours == TJCS_GRAY) return decode_as(header, TJPF_GRAY, 1);
    return decode_as(header, TJPF_RGB, 3);
  }

 private:
  struct Header {
    int width = 0;
    int height = 0;
    int subsampling = -1;
    int colours = -1;  // a TJCS
  };

  const unsigned char* data() const {
    return reinterpret_cast<const unsigned char*>(bytes_.data());
  }

  Header read_header() const {
    Header header;
    const int status = tjDecompressHeader3(context_.get(), data(), bytes_.size(), &header.width,
                                           &header.height, &header.subsampling, &header.colours);
    // It also fails for a chroma subsampling without a name, which decodes all the same.
    const bool is_known = header.width > 0 && header.height > 0 && header.colours >= 0;
    if (!is_known) refuse(status != 0 ? tjGetErrorStr2(context_.get()) : "it holds no picture");
    return header;
  }

  Header checked_header() const {
    if (bytes_.empty()) refuse("it is empty");
    const Header header = read_header();
    check_size(header);
    return header;
  }

  void check_size(const Header& header) const {
    const uint64_t pixels =
        static_cast<uint64_t>(header.width) * static_cast<uint64_t>(header.height);
    if (pixels > kMaxImagePixels) {
      refuse(fmt::format("{} pixels; {} are allowed", pixels, kMaxImagePixels));
    }
    if (pixels / kMaxPixelsPerByte > bytes_.size()) {
      refuse(fmt::format("its {} bytes cannot hold {} by {} pixels", bytes_.size(), header.width,
                         header.height));
    }
  }

  Image decode_as(const Header& header, int format, int channels) const {
    const auto samples = static_cast<size_t>(header.width) * static_cast<size_t>(header.height) *
                         static_cast<size_t>(channels);
    Image image{.width = header.width,
                .height = header.height,
                .channels = channels,
                .pixels = std::vector<uint8_t>(samples)};
    const int status =
        tjDecompress2(context_.get(), data(), bytes_.size(), image.pixels.data(), header.width,
                      header.width * channels, header.height, format, kDecodeFlags);
    if (status != 0) refuse(tjGetErrorStr2(context_.get()));
    return image;
  }

  // Pillow's rounding. Ink is stored inverted: 255 is none.
  static Image rgb_from_cmyk(const Image& cmyk) {
    Image rgb{.width = cmyk.width, .height = cmyk.height, .channels = 3, .pixels = {}};
    rgb.pixels.reserve(cmyk.pixels.size() / 4 * 3);
    for (size_t pixel = 0; pixel < cmyk.pixels.size(); pixel += 4) {
      const int light = cmyk.pixels[pixel + 3];
      for (size_t channel = 0; channel < 3; ++channel) {
        const int product = (255 - cmyk.pixels[pixel + channel]) * light + 128;
        rgb.pixels.push_back(static_cast<uint8_t>(light - (((product >> 8) + product) >> 8)));
      }
    }
    return rgb;
  }

  [[noreturn]] void refuse(std::string_view problem) const {
    throw Error(ErrorKind::input,
                fmt::format("cannot read {} as JPEG: {}", in_quotes(source_), problem),
                "the file is damaged or of another format; convert or download it again");
  }

  std::span<const std::byte> bytes_;
  const std::string& source_;
  JpegContext context_;
};

}  // namespace

Image decode_jpeg(std::span<const std::byte> bytes, const std::string& source) {
  return Decoder(bytes, source).decode();
}

ImageHeader read_jpeg_header(std::span<const std::byte> bytes, const std::string& source) {
  return Decoder(bytes, source).describe();
}

}  // namespace eqm
