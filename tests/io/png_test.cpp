#include "eqm/io/png.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include "eqm/io/text.h"
#include "tests/support/expect_error.h"
#include "tests/support/peak_memory.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::TemporaryFolder;

Image grey(int width, int height) {
  return {width, height, 1, std::vector<uint8_t>(static_cast<size_t>(width * height), 7)};
}

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Image decode(std::string_view bytes) {
  return decode_png(std::as_bytes(std::span(bytes)), "made.png");
}

void expect_unwritable(const std::string& part, const Image& image, const PngText& text = {}) {
  expect_error(ErrorKind::usage, part, [&] { encode_png(image, text); });
}

// Any text the format can hold: printable in part, Latin-1 in part, with characters beyond in part.
rc::Gen<std::string> bodies() {
  const auto latin1 =
      rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::nonZero<char>())),
                   [](const std::string& raw) { return utf8_from_latin1(raw); });
  const auto beyond =
      rc::gen::map(latin1, [](const std::string& s) { return s + "\u03B3\U0001F30A"; });
  return rc::gen::oneOf(latin1, beyond);
}

rc::Gen<std::string> keywords() {
  return rc::gen::mapcat(rc::gen::inRange<size_t>(1, 80), [](size_t length) {
    return rc::gen::container<std::string>(length, rc::gen::inRange<char>('!', 127));
  });
}

RC_GTEST_PROP(Png, what_is_written_reads_back, ()) {
  Image image;
  image.channels = *rc::gen::element(1, 3, 4);
  image.width = *rc::gen::inRange(1, 20);
  image.height = *rc::gen::inRange(1, 20);
  const auto size = static_cast<size_t>(image.width * image.height * image.channels);
  image.pixels = *rc::gen::container<std::vector<uint8_t>>(size, rc::gen::arbitrary<uint8_t>());
  const PngText text = *rc::gen::container<PngText>(rc::gen::pair(keywords(), bodies()));

  PngText text_read;
  const Image read = decode_png(encode_png(image, text), "made.png", &text_read);
  RC_ASSERT(read.width == image.width);
  RC_ASSERT(read.height == image.height);
  RC_ASSERT(read.channels == image.channels);
  RC_ASSERT(read.pixels == image.pixels);
  RC_ASSERT(text_read == text);
}

TEST(Png, stores_latin1_as_text_and_the_rest_as_international_text) {
  const std::string latin1 = as_text(encode_png(grey(1, 1), {{"label", "caf\u00E9"}}));
  EXPECT_NE(latin1.find(std::string("tEXtlabel\0caf\xE9", 14)), std::string::npos);
  const std::string greek = as_text(encode_png(grey(1, 1), {{"label", "\u03B3"}}));
  EXPECT_NE(greek.find(std::string("iTXtlabel\0\0\0\0\0\xCE\xB3", 16)), std::string::npos);
}

TEST(Png, writes_files_and_reads_them) {
  const TemporaryFolder folder;
  write_png(folder / "file.png", grey(2, 3), {{"seed", "17"}});
  PngText text;
  EXPECT_EQ(read_png(folder / "file.png", &text).pixels, grey(2, 3).pixels);
  EXPECT_EQ(text, (PngText{{"seed", "17"}}));
  expect_error(ErrorKind::io, "absent.png", [&] { read_png(folder / "absent.png"); });
}

TEST(Png, reads_without_asking_for_text) {
  EXPECT_EQ(decode(as_text(encode_png(grey(2, 3), {{"a", "b"}}))).height, 3);
}

TEST(Png, gives_no_text_where_there_is_none) {
  const std::vector<std::byte> bytes = encode_png(grey(1, 1));
  PngText text = {{"old", "text"}};
  decode_png(bytes, "made.png", &text);
  EXPECT_TRUE(text.empty());
}

TEST(Png, refuses_pictures_of_impossible_size) {
  expect_unwritable("0 by 1 pixels", {0, 1, 1, {}});
  expect_unwritable("1 by -1 pixels", {1, -1, 1, {}});
  expect_unwritable("2 channels", {1, 1, 2, {0, 0}});
  expect_unwritable("2 bytes for 1 by 1 pixels of 3 channels", {1, 1, 3, {0, 0}});
  expect_unwritable("are allowed", {1 << 20, 1 << 20, 4, {}});
}

TEST(Png, refuses_keywords_against_the_rules) {
  for (const std::string& keyword :
       {std::string(), std::string(80, 'k'), std::string(" lead"), std::string("trail "),
        std::string("two  spaces"), std::string("line\nfeed"), std::string("\u03B3"),
        std::string("\xFF"), std::string("nul\0", 4), std::string("no-break\u00A0space")}) {
    expect_unwritable("keyword", grey(1, 1), {{keyword, "text"}});
  }
  EXPECT_NO_THROW(encode_png(grey(1, 1), {{std::string(79, 'k'), "t"}, {"\u00E9t\u00E9", "t"}}));
}

TEST(Png, refuses_texts_that_cannot_be_stored) {
  expect_unwritable("text of 'k'", grey(1, 1), {{"k", ""}});
  expect_unwritable("text of 'k'", grey(1, 1), {{"k", std::string("a\0b", 3)}});
  expect_unwritable("text of 'k'", grey(1, 1), {{"k", "\xFF"}});
}

TEST(Png, refuses_what_is_not_png) {
  expect_input_error("'made.png' as PNG: it is empty", [] { decode(""); });
  expect_input_error("made.png", [] { decode("GIF89a and so on, long enough for a signature"); });
}

TEST(Png, refuses_every_truncation) {
  const std::string bytes = as_text(encode_png(grey(3, 3), {{"k", "v"}}));
  // libspng leaves out the last four bytes, the checksum of the empty end chunk.
  for (size_t size = 0; size < bytes.size() - 4; ++size) {
    EXPECT_THROW(decode(bytes.substr(0, size)), Error) << size;
  }
}

TEST(Png, refuses_damaged_pixels) {
  std::string bytes = as_text(encode_png(grey(3, 3)));
  bytes[bytes.find("IDAT") + 6] ^= 1;
  expect_input_error("as PNG", [&] { decode(bytes); });
}

// CRC-32 as PNG uses it, to forge headers that get past the checksum.
uint32_t crc_of(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

void put_big_endian(std::string& bytes, size_t where, uint32_t value) {
  for (size_t i = 0; i < 4; ++i) bytes[where + i] = static_cast<char>(value >> (24 - 8 * i));
}

std::string with_claimed_size(uint32_t width, uint32_t height) {
  std::string bytes = as_text(encode_png(grey(1, 1)));
  put_big_endian(bytes, 16, width);
  put_big_endian(bytes, 20, height);
  put_big_endian(bytes, 29, crc_of(std::string_view(bytes).substr(12, 17)));
  return bytes;
}

// A PNG of one row by hand, of any colour type and depth.
std::string made_png(uint32_t width, int depth, int colour_type, const std::string& row,
                     const std::string& palette = "") {
  const auto big_endian = [](uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(value >> shift));
    return text;
  };
  const auto chunk = [&](const std::string& name, const std::string& body) {
    const std::string all = name + body;
    const auto crc =
        crc32(0, reinterpret_cast<const Bytef*>(all.data()), static_cast<uInt>(all.size()));
    return big_endian(static_cast<uint32_t>(body.size())) + all +
           big_endian(static_cast<uint32_t>(crc));
  };
  const std::string raw = std::string(1, '\0') + row;
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(raw.data()), static_cast<uLong>(raw.size()));
  packed.resize(size);
  std::string header = big_endian(width) + big_endian(1);
  for (const int byte : {depth, colour_type, 0, 0, 0}) header.push_back(static_cast<char>(byte));
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) +
         (palette.empty() ? "" : chunk("PLTE", palette)) + chunk("IDAT", packed) +
         chunk("IEND", "");
}

TEST(Png, reads_every_kind_of_pixel) {
  using Pixels = std::vector<uint8_t>;
  const std::string deep = "\x12\xff\x34\x01\x56\x80";  // three samples of 16 bits
  const Image colour = decode(made_png(1, 16, 2, deep));
  EXPECT_EQ(colour.channels, 3);
  EXPECT_EQ(colour.pixels, (Pixels{0x12, 0x34, 0x56}));
  const Image deep_grey = decode(made_png(3, 16, 0, deep));
  ASSERT_EQ(deep_grey.channels, 3);
  EXPECT_EQ(deep_grey.pixels, (Pixels{0x12, 0x12, 0x12, 0x34, 0x34, 0x34, 0x56, 0x56, 0x56}));
  const Image bits = decode(made_png(8, 1, 0, "\xa5"));
  EXPECT_EQ(bits.channels, 1);
  EXPECT_EQ(bits.pixels, (Pixels{255, 0, 255, 0, 0, 255, 0, 255}));
  const Image transparent = decode(made_png(2, 8, 4, "\x10\x80\x20\xff"));
  ASSERT_EQ(transparent.channels, 4);
  EXPECT_EQ(transparent.pixels, (Pixels{0x10, 0x10, 0x10, 0x80, 0x20, 0x20, 0x20, 0xff}));
  const Image palette = decode(made_png(2, 8, 3, std::string("\x01\0", 2), "abcdef"));
  EXPECT_EQ(palette.channels, 3);
  EXPECT_EQ(palette.pixels, (Pixels{'d', 'e', 'f', 'a', 'b', 'c'}));
  // A colour that the palette has not is black.
  EXPECT_EQ(decode(made_png(1, 8, 3, "\x05", "abc")).pixels, (Pixels{0, 0, 0}));
}

TEST(Png, refuses_pictures_over_the_pixel_limit) {
  expect_input_error("are allowed", [] { decode(with_claimed_size(1u << 14, (1u << 13) + 1)); });
}

TEST(Png, refuses_sizes_the_file_cannot_hold_before_reserving_memory) {
  expect_input_error("cannot hold", [] { decode(with_claimed_size(1u << 14, 1u << 13)); });
}

// 256 MB as RGBA are claimed; what comes are noise and its end.
TEST(Png, fills_no_memory_for_rows_that_never_come) {
  std::string row(8'000 * 4, '\0');
  uint32_t state = 1;
  for (char& byte : row) byte = static_cast<char>((state = state * 1'664'525u + 1) >> 24);
  std::string bytes = made_png(8'000, 8, 6, row);
  put_big_endian(bytes, 20, 8'000);  // rows
  put_big_endian(bytes, 29, crc_of(std::string_view(bytes).substr(12, 17)));
  bytes += std::string(100'000, '\0');  // as much as such a picture needs
  test::expect_memory_below(uint64_t{64} << 20,
                            [&] { expect_input_error("as PNG", [&] { decode(bytes); }); });
}

TEST(Png, reads_the_rows_of_a_picture_in_order) {
  Image image{3, 200, 4, {}};
  for (int i = 0; i < 3 * 200 * 4; ++i) image.pixels.push_back(static_cast<uint8_t>(i * 7));
  EXPECT_EQ(decode_png(encode_png(image), "made.png").pixels, image.pixels);
}

RC_GTEST_PROP(Png, survives_changed_bytes, ()) {
  std::string bytes = as_text(encode_png(grey(4, 4), {{"k", "v"}, {"l", "\u03B3"}}));
  const auto changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  }
  // The header's checksum is made right again, so that its fields are looked at.
  put_big_endian(bytes, 29, crc_of(std::string_view(bytes).substr(12, 17)));
  try {
    const Image image = decode(bytes);
    const auto size = static_cast<size_t>(image.width * image.height * image.channels);
    RC_ASSERT(image.pixels.size() == size);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace eqm
