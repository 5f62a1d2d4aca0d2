// Pictures as PNG files, eight bits per channel, with text chunks for what made them. Text is UTF-8
// on our side: it is stored as tEXt where Latin-1 suffices and as iTXt otherwise. Pure functions,
// safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace eqm {

// Pixels row by row, channels interleaved.
struct Image {
  int width = 0;
  int height = 0;
  int channels = 3;             // 1 grey, 3 RGB, 4 RGBA
  std::vector<uint8_t> pixels;  // [height, width, channels]
};

// Keyword and text, in file order. A keyword is 1 to 79 printable Latin-1 characters without
// leading, trailing or double spaces; a text is not empty and holds no zero byte. Keywords may
// repeat.
using PngText = std::vector<std::pair<std::string, std::string>>;

// A gigabyte as RGBA: beyond any picture we make or learn from, and still within a small machine's
// memory.
inline constexpr uint64_t kMaxPngPixels = uint64_t{1} << 28;

// Kind usage when image or text break the rules above.
std::vector<std::byte> encode_png(const Image& image, const PngText& text = {});

// Kind input when the bytes are not a whole, undamaged PNG within the limit; `source` is named in
// errors. Palettes and grey with alpha become RGB or RGBA, 16-bit samples lose their lower byte,
// gamma is ignored.
Image decode_png(std::span<const std::byte> bytes, const std::string& source,
                 PngText* text = nullptr);

// Atomic (see AtomicFile).
void write_png(const std::filesystem::path& path, const Image& image, const PngText& text = {});

Image read_png(const std::filesystem::path& path, PngText* text = nullptr);

}  // namespace eqm
