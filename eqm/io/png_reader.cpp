#include <string_view>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/png.h"
#include "eqm/io/png_context.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// Ours are a few hundred bytes; a compressed chunk from elsewhere must not unpack without bound.
constexpr size_t kMaxChunk = size_t{1} << 24;

// Deflate cannot do better than 1032:1, so fewer bytes than this per raw byte cannot hold the
// picture, and memory need not be reserved to find out.
constexpr uint64_t kMaxExpansion = 1032;

// Turns libspng's answers into errors that name the source.
class Checker {
 public:
  explicit Checker(const std::string& source) : source_(source) {}

  void operator()(int status) const {
    if (status != 0) refuse(spng_strerror(status));
  }

  [[noreturn]] void refuse(std::string_view problem) const {
    throw Error(ErrorKind::input,
                fmt::format("cannot read {} as PNG: {}", in_quotes(source_), problem),
                "the file is damaged or of another format; convert or download it again");
  }

 private:
  const std::string& source_;
};

void check_size(const spng_ihdr& header, size_t file_size, const Checker& checked) {
  const uint64_t pixels = uint64_t{header.width} * header.height;
  if (pixels > kMaxImagePixels) {
    checked.refuse(fmt::format("{} pixels; {} are allowed", pixels, kMaxImagePixels));
  }
  // A lower bound: one channel, no filter bytes.
  const uint64_t least_bytes = pixels * header.bit_depth / 8;
  if (least_bytes / kMaxExpansion > file_size) {
    checked.refuse(fmt::format("its {} bytes cannot hold {} by {} pixels", file_size, header.width,
                               header.height));
  }
}

struct Layout {
  int format;
  int channels;
};

Layout layout_of(spng_ctx* context, const spng_ihdr& header) {
  spng_trns transparency{};
  const bool alpha = header.color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA ||
                     header.color_type == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA ||
                     spng_get_trns(context, &transparency) == 0;
  if (alpha) return {SPNG_FMT_RGBA8, 4};
  if (header.color_type == SPNG_COLOR_TYPE_GRAYSCALE && header.bit_depth <= 8) {
    return {SPNG_FMT_G8, 1};
  }
  return {SPNG_FMT_RGB8, 3};
}

// Gives the bytes to libspng and reads what stands before the picture's data.
spng_ihdr begin_png(spng_ctx* context, std::span<const std::byte> bytes, const Checker& checked) {
  if (bytes.empty()) checked.refuse("it is empty");
  checked(spng_set_chunk_limits(context, kMaxChunk, kMaxChunk));
  checked(spng_set_png_buffer(context, bytes.data(), bytes.size()));
  spng_ihdr header{};
  checked(spng_get_ihdr(context, &header));
  check_size(header, bytes.size(), checked);
  return header;
}

int flags_for(const Layout& layout) {
  return layout.channels == 4 ? SPNG_DECODE_TRNS : 0;
}

// Row by row, so that no memory is filled for rows that never come.
std::vector<uint8_t> decode_rows(spng_ctx* context, const spng_ihdr& header, const Layout& layout,
                                 const Checker& checked) {
  checked(spng_decode_image(context, nullptr, 0, layout.format,
                            flags_for(layout) | SPNG_DECODE_PROGRESSIVE));
  std::vector<uint8_t> row(size_t{header.width} * static_cast<size_t>(layout.channels));
  std::vector<uint8_t> pixels;
  pixels.reserve(row.size() * header.height);
  for (uint32_t i = 0; i < header.height; ++i) {
    const int status = spng_decode_row(context, row.data(), row.size());
    if (status != SPNG_EOI || i + 1 < header.height) checked(status);  // which comes with the last
    pixels.insert(pixels.end(), row.begin(), row.end());
  }
  return pixels;
}

// Interlaced rows come in another order.
std::vector<uint8_t> decode_whole(spng_ctx* context, const Layout& layout, const Checker& checked) {
  size_t size = 0;
  checked(spng_decoded_image_size(context, layout.format, &size));
  std::vector<uint8_t> pixels(size);
  checked(spng_decode_image(context, pixels.data(), size, layout.format, flags_for(layout)));
  return pixels;
}

PngText get_text(spng_ctx* context, const Checker& checked) {
  uint32_t count = 0;
  const int status = spng_get_text(context, nullptr, &count);
  if (status == SPNG_ECHUNKAVAIL) return {};
  checked(status);
  std::vector<spng_text> chunks(count);
  checked(spng_get_text(context, chunks.data(), &count));
  PngText text;
  for (const spng_text& chunk : chunks) {
    const std::string body(chunk.text, chunk.length);
    const bool is_latin1 = chunk.type != SPNG_ITXT;
    // A broken iTXt is still worth showing; Latin-1 has a character for every byte.
    text.emplace_back(utf8_from_latin1(chunk.keyword),
                      is_latin1 || !is_utf8(body) ? utf8_from_latin1(body) : body);
  }
  return text;
}

}  // namespace

ImageHeader read_png_header(std::span<const std::byte> bytes, const std::string& source) {
  const PngContext context = make_png_context(0);
  const spng_ihdr header = begin_png(context.get(), bytes, Checker(source));
  return {.width = static_cast<int>(header.width),
          .height = static_cast<int>(header.height),
          .channels = layout_of(context.get(), header).channels};
}

Image decode_png(std::span<const std::byte> bytes, const std::string& source, PngText* text) {
  const PngContext context = make_png_context(0);
  const Checker checked(source);
  const spng_ihdr header = begin_png(context.get(), bytes, checked);
  const Layout layout = layout_of(context.get(), header);
  Image image{.width = static_cast<int>(header.width),
              .height = static_cast<int>(header.height),
              .channels = layout.channels,
              .pixels = {}};
  image.pixels = header.interlace_method == SPNG_INTERLACE_NONE
                     ? decode_rows(context.get(), header, layout, checked)
                     : decode_whole(context.get(), layout, checked);
  checked(spng_decode_chunks(context.get()));
  if (text != nullptr) *text = get_text(context.get(), checked);
  return image;
}

Image read_png(const std::filesystem::path& path, PngText* text) {
  return decode_png(MappedFile::open(path).bytes(), path.string(), text);
}

}  // namespace eqm
