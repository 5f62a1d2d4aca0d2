// Pictures as PNG files, eight bits per channel, with text chunks for what made them. Text is UTF-8
// on our side: it is stored as tEXt where Latin-1 suffices and as iTXt otherwise. Pure functions,
// safe from any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eqm/io/image.h"

namespace eqm {

// Keyword and text, in file order. A keyword is 1 to 79 printable Latin-1 characters without
// leading, trailing or double spaces; a text is not empty and holds no zero byte. Keywords may
// repeat.
using PngText = std::vector<std::pair<std::string, std::string>>;

// Kind usage when image or text break the rules above.
std::vector<std::byte> encode_png(const Image& image, const PngText& text = {});

// Kind input when the bytes are not a whole, undamaged PNG of at most kMaxImagePixels; `source` is
// named in errors. Palettes and grey with alpha become RGB or RGBA, 16-bit samples lose their lower
// byte, gamma is ignored.
Image decode_png(std::span<const std::byte> bytes, const std::string& source,
                 PngText* text = nullptr);

// The same checks as far as the picture's data, which are not read.
ImageHeader read_png_header(std::span<const std::byte> bytes, const std::string& source);

// Atomic (see AtomicFile).
void write_png(const std::filesystem::path& path, const Image& image, const PngText& text = {});

Image read_png(const std::filesystem::path& path, PngText* text = nullptr);

}  // namespace eqm
