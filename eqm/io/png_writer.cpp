#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/png.h"
#include "eqm/io/png_context.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// A keyword's limit in the format.
constexpr size_t kMaxKeyword = 79;

[[noreturn]] void refuse_image(const std::string& problem) {
  throw Error(ErrorKind::usage, "cannot write a PNG: " + problem,
              "a picture has width, height and 1, 3 or 4 channels of bytes");
}

constexpr bool is_printable_latin1(unsigned char c) {
  return (c >= 32 && c <= 126) || c >= 161;
}

// The keyword in Latin-1.
std::string checked_keyword(const std::string& keyword) {
  const std::optional<std::string> latin1 = latin1_from_utf8(keyword);
  const bool fits =
      latin1 && !latin1->empty() && latin1->size() <= kMaxKeyword &&
      std::all_of(latin1->begin(), latin1->end(),
                  [](char c) { return is_printable_latin1(static_cast<unsigned char>(c)); }) &&
      latin1->front() != ' ' && latin1->back() != ' ' && latin1->find("  ") == std::string::npos;
  if (fits) return *latin1;
  throw Error(ErrorKind::usage, "cannot write the PNG keyword " + in_quotes(keyword),
              "it takes 1 to 79 printable Latin-1 characters, single spaces inside only");
}

// What tEXt may hold: printable Latin-1 and line feeds.
std::optional<std::string> plain_latin1(const std::string& text) {
  std::optional<std::string> latin1 = latin1_from_utf8(text);
  if (!latin1) return std::nullopt;
  for (const char c : *latin1) {
    if (c != '\n' && !is_printable_latin1(static_cast<unsigned char>(c))) return std::nullopt;
  }
  return latin1;
}

// Chunks as libspng takes them, with the strings they point to: it copies only the pointers, so
// this must live until the picture is encoded. Moving it leaves the strings where they are.
struct TextChunks {
  std::vector<std::string> bodies;
  std::vector<spng_text> chunks;
};

TextChunks chunks_of(const PngText& text) {
  TextChunks result;
  result.bodies.reserve(text.size());  // growing would move the strings
  for (const auto& [keyword, body] : text) {
    const std::string name = checked_keyword(keyword);
    if (body.empty() || body.find('\0') != std::string::npos || !is_utf8(body)) {
      throw Error(ErrorKind::usage, "cannot write the PNG text of " + in_quotes(keyword),
                  "it takes UTF-8 text that is not empty and holds no zero byte");
    }
    const std::optional<std::string> latin1 = plain_latin1(body);
    std::string& stored = result.bodies.emplace_back(latin1.value_or(body));
    spng_text chunk{};
    name.copy(chunk.keyword, kMaxKeyword);
    chunk.type = latin1 ? SPNG_TEXT : SPNG_ITXT;
    chunk.length = stored.size();
    chunk.text = stored.data();
    chunk.language_tag = const_cast<char*>("");  // read only, though libspng does not say so
    chunk.translated_keyword = const_cast<char*>("");
    result.chunks.push_back(chunk);
  }
  return result;
}

uint8_t color_type_of(int channels) {
  if (channels == 1) return SPNG_COLOR_TYPE_GRAYSCALE;
  return channels == 3 ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
}

}  // namespace

std::vector<std::byte> encode_png(const Image& image, const PngText& text) {
  if (const auto problem = problem_of(image)) refuse_image(*problem);
  const PngContext context = make_png_context(SPNG_CTX_ENCODER);
  const auto checked = [](int status) {
    if (status == 0) return;
    throw Error(ErrorKind::internal,
                fmt::format("libspng cannot encode: {}", spng_strerror(status)));
  };
  checked(spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1));
  spng_ihdr header{};
  header.width = static_cast<uint32_t>(image.width);
  header.height = static_cast<uint32_t>(image.height);
  header.bit_depth = 8;
  header.color_type = color_type_of(image.channels);
  checked(spng_set_ihdr(context.get(), &header));
  TextChunks texts = chunks_of(text);
  if (!text.empty()) {
    checked(spng_set_text(context.get(), texts.chunks.data(),
                          static_cast<uint32_t>(texts.chunks.size())));
  }
  checked(spng_encode_image(context.get(), image.pixels.data(), image.pixels.size(), SPNG_FMT_PNG,
                            SPNG_ENCODE_FINALIZE));
  size_t size = 0;
  int status = 0;
  const std::unique_ptr<void, decltype(&std::free)> buffer(
      spng_get_png_buffer(context.get(), &size, &status), &std::free);
  checked(status);
  const auto* begin = static_cast<const std::byte*>(buffer.get());
  return {begin, begin + size};
}

void write_png(const std::filesystem::path& path, const Image& image, const PngText& text) {
  write_file(path, encode_png(image, text));
}

}  // namespace eqm
