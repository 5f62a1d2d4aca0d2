#include "eqm/data/pixels.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

using test::expect_error;

std::vector<int> values(const Example& example) {
  std::vector<int> result;
  for (const std::byte value : example.bytes) result.push_back(std::to_integer<int>(value));
  return result;
}

TEST(Pixels, go_from_interleaved_to_planes) {
  const Example example = example_from_image({2, 1, 3, {1, 2, 3, 4, 5, 6}}, 3, 7);
  EXPECT_EQ(example.dtype, Dtype::u8);
  EXPECT_EQ(example.shape, (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(values(example), (std::vector<int>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(example.label, 7);
}

TEST(Pixels, have_no_label_unless_given) {
  EXPECT_EQ(example_from_image({1, 1, 1, {9}}, 1).label, kNoLabel);
}

TEST(Pixels, keep_height_and_width_apart) {
  EXPECT_EQ(example_from_image({5, 2, 1, std::vector<uint8_t>(10)}, 1).shape,
            (std::vector<int64_t>{1, 2, 5}));
}

TEST(Pixels, repeat_grey_for_colour) {
  EXPECT_EQ(values(example_from_image({2, 1, 1, {8, 9}}, 3)), (std::vector<int>{8, 9, 8, 9, 8, 9}));
}

TEST(Pixels, lose_colour_by_the_weights_of_pillow) {
  const Image image{5, 1, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 200, 31}};
  // Image.convert("L"): 76.2, 149.7, 29.1, 255 and 123.9, rounded.
  EXPECT_EQ(values(example_from_image(image, 1)), (std::vector<int>{76, 150, 29, 255, 124}));
}

TEST(Pixels, drop_transparency) {
  const Image image{2, 1, 4, {1, 2, 3, 0, 4, 5, 6, 255}};
  EXPECT_EQ(values(example_from_image(image, 3)), (std::vector<int>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(values(example_from_image(image, 1)),
            values(example_from_image({2, 1, 3, {1, 2, 3, 4, 5, 6}}, 1)));
}

TEST(Pixels, refuse_malformed_pictures_and_other_numbers_of_channels) {
  const Image image{1, 1, 3, {1, 2, 3}};
  for (const int64_t channels : {0, 2, 4, -1}) {
    expect_error(ErrorKind::usage, "channels are wanted",
                 [&] { example_from_image(image, channels); });
  }
  expect_error(ErrorKind::usage, "2 bytes for 1 by 1 pixels", [] {
    example_from_image({1, 1, 3, {1, 2}}, 3);
  });
  expect_error(ErrorKind::usage, "0 by 1 pixels", [] { example_from_image({0, 1, 3, {}}, 3); });
}

TEST(Pixels, refuse_examples_that_are_not_pictures) {
  const auto refused = [](const std::string& part, const Example& example) {
    expect_error(ErrorKind::usage, part, [&] { image_from_planes(example); });
  };
  const std::vector<std::byte> bytes(12);
  refused("F32", {.dtype = Dtype::f32, .shape = {1, 1, 3}, .bytes = bytes});
  refused("[3, 4]", {.shape = {3, 4}, .bytes = bytes});
  refused("[3, 0, 4]", {.shape = {3, 0, 4}, .bytes = {}});
  refused("[-3, -1, 4]", {.shape = {-3, -1, 4}, .bytes = bytes});
  refused("12 bytes in the shape [3, 2, 3]", {.shape = {3, 2, 3}, .bytes = bytes});
  refused("12 bytes in the shape",
          {.shape = {3, int64_t{1} << 32, int64_t{1} << 32}, .bytes = bytes});
  refused("2 channels", {.shape = {2, 2, 3}, .bytes = bytes});
}

RC_GTEST_PROP(Pixels, come_back_from_planes, ()) {
  Image image;
  image.channels = *rc::gen::element(1, 3);
  image.width = *rc::gen::inRange(1, 9);
  image.height = *rc::gen::inRange(1, 9);
  const auto size = static_cast<size_t>(image.width * image.height * image.channels);
  image.pixels = *rc::gen::container<std::vector<uint8_t>>(size, rc::gen::arbitrary<uint8_t>());
  const Image back = image_from_planes(example_from_image(image, image.channels));
  RC_ASSERT(back.width == image.width);
  RC_ASSERT(back.height == image.height);
  RC_ASSERT(back.channels == image.channels);
  RC_ASSERT(back.pixels == image.pixels);
}

TEST(Pixels, of_four_planes_become_a_transparent_picture) {
  std::vector<std::byte> bytes;
  for (int i = 1; i <= 8; ++i) bytes.push_back(static_cast<std::byte>(i));
  EXPECT_EQ(image_from_planes({.shape = {4, 1, 2}, .bytes = bytes}).pixels,
            (std::vector<uint8_t>{1, 3, 5, 7, 2, 4, 6, 8}));
}

}  // namespace
}  // namespace eqm
