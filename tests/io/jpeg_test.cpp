#include "eqm/io/jpeg.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/io/jpeg_samples.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/peak_memory.h"

namespace eqm {
namespace {

using test::Bytes;
using test::bytes_from_hex;
using test::expect_error;
using test::expect_input_error;
using test::peak_memory;

// A smooth picture: what JPEG is made for, so a high quality changes little.
Image gradient(int width, int height, int channels) {
  Image image{width, height, channels, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        image.pixels.push_back(static_cast<uint8_t>(40 + 4 * x + 2 * y + 10 * c));
      }
    }
  }
  return image;
}

int largest_difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  int largest = 0;
  for (size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); ++i) {
    largest = std::max(largest, std::abs(a.pixels[i] - b.pixels[i]));
  }
  return largest;
}

Image decode(const Bytes& bytes) {
  return decode_jpeg(bytes, "made.jpg");
}

// Where the frame header begins: FF C0, two bytes of length, one of precision, then height, width
// and three bytes per channel.
size_t frame_of(const Bytes& bytes) {
  size_t frame = 0;
  while (bytes.at(frame) != std::byte{0xFF} || bytes.at(frame + 1) != std::byte{0xC0}) ++frame;
  return frame;
}

Bytes with_claimed_size(Bytes bytes, unsigned width, unsigned height) {
  const size_t frame = frame_of(bytes);
  bytes[frame + 5] = static_cast<std::byte>(height >> 8);
  bytes[frame + 6] = static_cast<std::byte>(height);
  bytes[frame + 7] = static_cast<std::byte>(width >> 8);
  bytes[frame + 8] = static_cast<std::byte>(width);
  return bytes;
}

TEST(Jpeg, what_is_written_reads_back_nearly) {
  for (const int channels : {1, 3}) {
    const Image image = gradient(29, 17, channels);
    const Image read = decode(encode_jpeg(image, 100));
    EXPECT_EQ(read.width, 29);
    EXPECT_EQ(read.height, 17);
    EXPECT_EQ(read.channels, channels);
    EXPECT_LE(largest_difference(read, image), 3);
  }
}

TEST(Jpeg, lower_quality_takes_fewer_bytes) {
  const Image image = gradient(32, 32, 3);
  EXPECT_LT(encode_jpeg(image, 20).size(), encode_jpeg(image, 95).size());
}

TEST(Jpeg, decodes_subsampled_colour_as_libjpeg_does) {
  const Image image = decode(bytes_from_hex(test::kSubsampledJpeg));
  ASSERT_EQ(image.width, 16);
  ASSERT_EQ(image.height, 16);
  ASSERT_EQ(image.channels, 3);
  const auto row = image.pixels.begin() + 8 * 16 * 3;
  EXPECT_EQ(std::vector<uint8_t>(row, row + 16 * 3), test::kSubsampledRow8);
}

std::vector<uint8_t> bar_colours(const Image& image) {
  std::vector<uint8_t> colours;
  for (size_t bar = 0; bar < 4; ++bar) {
    const auto first = image.pixels.begin() + static_cast<ptrdiff_t>(bar * 8 * 3);
    colours.insert(colours.end(), first, first + 3);
  }
  return colours;
}

TEST(Jpeg, turns_ycck_into_rgb) {
  const Image image = decode(bytes_from_hex(test::kYcckJpeg));
  ASSERT_EQ(image.channels, 3);
  ASSERT_EQ(image.pixels.size(), 32u * 8 * 3);
  EXPECT_EQ(bar_colours(image),
            (std::vector<uint8_t>{1, 255, 255, 204, 122, 42, 0, 0, 0, 255, 255, 255}));
}

TEST(Jpeg, turns_cmyk_into_rgb) {
  // Without YCCK's transform the second bar holds the inverted inks 83, 196, 69, 204.
  Bytes bytes = bytes_from_hex(test::kYcckJpeg);
  bytes[test::kAdobeTransformOffset] = std::byte{0};
  const std::vector<uint8_t> colours = bar_colours(decode(bytes));
  EXPECT_EQ(std::vector<uint8_t>(colours.begin() + 3, colours.begin() + 6),
            (std::vector<uint8_t>{66, 157, 55}));
}

TEST(Jpeg, reads_a_subsampling_that_turbojpeg_has_no_name_for) {
  // Four blocks of luma side by side to one of chroma become four on top of each other.
  Image image{16, 16, 3, {}};
  for (int pixel = 0; pixel < 16 * 16; ++pixel)
    image.pixels.insert(image.pixels.end(), {90, 90, 90});
  Bytes bytes = with_claimed_size(encode_jpeg(image, 100), 8, 32);
  std::byte& luma_factors = bytes[frame_of(bytes) + 11];
  ASSERT_EQ(luma_factors, std::byte{0x22});
  luma_factors = std::byte{0x14};
  EXPECT_EQ(decode(bytes).pixels, image.pixels);
}

TEST(Jpeg, leaves_pictures_as_they_lie_whatever_a_camera_noted) {
  // Orientation 6, "turn right", in the smallest EXIF there is.
  const std::string exif(
      "\xff\xe1\0\x22"
      "Exif\0\0"
      "MM\0*\0\0\0\x08"
      "\0\x01"
      "\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"
      "\0\0\0\0",
      36);
  Bytes bytes = encode_jpeg(gradient(16, 8, 3), 90);
  const Image plain = decode(bytes);
  const auto* begin = reinterpret_cast<const std::byte*>(exif.data());
  bytes.insert(bytes.begin() + 2, begin, begin + exif.size());
  const Image noted = decode(bytes);
  EXPECT_EQ(noted.width, 16);
  EXPECT_EQ(noted.pixels, plain.pixels);
}

TEST(Jpeg, ignores_what_follows_the_image) {
  Bytes bytes = encode_jpeg(gradient(8, 8, 3), 90);
  const Image alone = decode(bytes);
  bytes.insert(bytes.end(), 100, std::byte{0x55});
  EXPECT_EQ(decode(bytes).pixels, alone.pixels);
}

TEST(Jpeg, refuses_to_write_what_the_format_cannot_hold) {
  const auto refused = [](const std::string& part, const Image& image, int quality) {
    expect_error(ErrorKind::usage, part, [&] { encode_jpeg(image, quality); });
  };
  refused("no transparency", gradient(2, 2, 4), 90);
  refused("0 by 2 pixels", {0, 2, 3, {}}, 90);
  refused("1 bytes for 1 by 1 pixels of 3 channels", {1, 1, 3, {0}}, 90);
  refused("65500 a side", gradient(65'501, 1, 1), 90);
  refused("quality 0", gradient(2, 2, 3), 0);
  refused("quality 101", gradient(2, 2, 3), 101);
}

TEST(Jpeg, refuses_truncated_files_naming_them) {
  for (const Bytes& whole : {encode_jpeg(gradient(40, 40, 3), 90),
                             encode_jpeg(gradient(9, 9, 1), 5), bytes_from_hex(test::kYcckJpeg)}) {
    for (const Bytes& cut : test::truncations(whole)) {
      expect_input_error("'made.jpg'", [&] { decode(cut); });
    }
  }
}

TEST(Jpeg, refuses_an_image_without_its_end_mark) {
  Bytes bytes = encode_jpeg(gradient(40, 40, 3), 90);
  bytes.resize(bytes.size() - 2);
  expect_input_error("Premature end", [&] { decode(bytes); });
}

TEST(Jpeg, refuses_missing_data_in_front_of_the_end_mark) {
  Bytes bytes = encode_jpeg(gradient(64, 64, 3), 90);
  bytes.erase(bytes.end() - 40, bytes.end() - 2);
  expect_input_error("premature end of data segment", [&] { decode(bytes); });
}

TEST(Jpeg, refuses_bytes_that_belong_to_nothing) {
  Bytes bytes = encode_jpeg(gradient(64, 64, 3), 90);
  bytes.insert(bytes.end() - 2, 20, std::byte{0x35});
  expect_input_error("extraneous bytes", [&] { decode(bytes); });
}

TEST(Jpeg, refuses_pictures_over_the_pixel_limit) {
  const Bytes bytes = encode_jpeg(gradient(8, 8, 3), 90);
  expect_input_error("are allowed", [&] { decode(with_claimed_size(bytes, 65'000, 65'000)); });
}

TEST(Jpeg, refuses_sizes_the_file_cannot_hold_before_reserving_memory) {
  const Bytes bytes = encode_jpeg(gradient(8, 8, 3), 90);
  const uint64_t before = peak_memory();
  expect_input_error("cannot hold", [&] { decode(with_claimed_size(bytes, 11'000, 11'000)); });
  EXPECT_LT(peak_memory() - before, uint64_t{100} << 20);  // 363 MB are claimed
}

TEST(Jpeg, refuses_a_picture_without_height) {
  const Bytes bytes = encode_jpeg(gradient(8, 8, 3), 90);
  expect_input_error("'made.jpg'", [&] { decode(with_claimed_size(bytes, 8, 0)); });
}

TEST(Jpeg, refuses_tables_without_a_picture) {
  expect_input_error("'made.jpg'", [] { decode(bytes_from_hex("ffd8ffd9")); });
}

RC_GTEST_PROP(Jpeg, survives_changed_bytes, ()) {
  const Bytes whole =
      *rc::gen::element(encode_jpeg(gradient(24, 24, 3), 80), bytes_from_hex(test::kSubsampledJpeg),
                        bytes_from_hex(test::kYcckJpeg));
  try {
    const Image image = decode(test::with_changed_bytes(whole));
    RC_ASSERT(!problem_of(image));
    RC_ASSERT(image.pixels.size() <= whole.size() * 64 * 8 * 4);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace eqm
