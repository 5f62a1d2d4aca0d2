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

TEST(Image, that_is_empty_is_refused) {
  expect_input_error("it is empty", [] { decode(""); });
}

TEST(Image, names_its_source_when_damaged_in_either_format) {
  expect_input_error("'shelf/a.bin' as PNG", [] { decode("\x89PNG\r\n\x1A\n"); });
  expect_input_error("'shelf/a.bin' as JPEG", [] { decode("\xFF\xD8\xFF"); });
}

}  // namespace
}  // namespace eqm
