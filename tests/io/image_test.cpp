#include "eqm/io/image.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/jpeg.h"
#include "eqm/io/png.h"
#include "tests/support/expect_error.h"

namespace eqm {
namespace {

using test::expect_input_error;

Image decode(std::string_view bytes) {
  return decode_image(std::as_bytes(std::span(bytes)), "shelf/a.bin");
}

TEST(Image, is_decoded_by_its_content_not_its_name) {
  const Image image{4, 2, 1, std::vector<uint8_t>(8, 90)};
  EXPECT_EQ(decode_image(encode_png(image), "a.jpg").pixels, image.pixels);
  EXPECT_EQ(decode_image(encode_jpeg(image, 100), "a.png").pixels, image.pixels);
}

TEST(Image, of_another_format_is_refused_with_the_formats_that_are_read) {
  for (const std::string_view bytes : {"GIF89a", "\x89PNG", "\xFF\xD8", "x"}) {
    expect_input_error("'shelf/a.bin'", [&] {
      try {
        decode(bytes);
      } catch (const Error& error) {
        EXPECT_EQ(error.hint(), "PNG and JPEG are read");
        throw;
      }
    });
  }
}

TEST(Image, has_a_header_that_tells_what_decoding_gives) {
  for (const int channels : {1, 3, 4}) {
    const Image image{5, 2, channels, std::vector<uint8_t>(static_cast<size_t>(10 * channels), 90)};
    std::vector<std::vector<std::byte>> files = {encode_png(image)};
    if (channels != 4) files.push_back(encode_jpeg(image, 90));
    for (std::vector<std::byte>& file : files) {
      file.resize(file.size() - 2);  // the end of it is not read
      const ImageHeader header = read_image_header(file, "a");
      EXPECT_EQ(header.width, 5);
      EXPECT_EQ(header.height, 2);
      EXPECT_EQ(header.channels, channels);
    }
  }
  expect_input_error("its format is not known", [] {
    read_image_header(std::as_bytes(std::span(std::string_view("GIF89a"))), "a");
  });
  expect_input_error("it is empty", [] { read_image_header({}, "a"); });
}

TEST(Image, that_is_empty_is_refused) {
  expect_input_error("it is empty", [] { decode(""); });
}

TEST(Image, names_its_source_when_damaged_in_either_format) {
  expect_input_error("'shelf/a.bin' as PNG", [] { decode("\x89PNG\r\n\x1A\n"); });
  expect_input_error("'shelf/a.bin' as JPEG", [] { decode("\xFF\xD8\xFF"); });
}

}  // namespace
}  // namespace eqm
