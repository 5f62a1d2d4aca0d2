#include "eqm/data/centre_crop.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/data/pixels.h"
#include "eqm/data/resample.h"
#include "eqm/io/safetensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden_folder.h"

namespace eqm {
namespace {

using test::expect_error;

Example planes(int64_t channels, int64_t height, int64_t width, int value) {
  return {.shape = {channels, height, width},
          .bytes = std::vector<std::byte>(static_cast<size_t>(channels * height * width),
                                          static_cast<std::byte>(value))};
}

// A golden picture, bytes [height, width, channels].
Example golden_planes(const SafetensorsFile& file, const std::string& name) {
  const TensorView& view = file.at(name);
  EXPECT_EQ(view.dtype, Dtype::u8);
  EXPECT_EQ(view.shape.size(), 3u);
  const auto* pixels = reinterpret_cast<const uint8_t*>(view.bytes.data());
  const Image image{static_cast<int>(view.shape[1]),
                    static_cast<int>(view.shape[0]),
                    static_cast<int>(view.shape[2]),
                    {pixels, pixels + view.bytes.size()}};
  return example_from_image(image, image.channels);
}

// The names x of all x.input.
std::vector<std::string> golden_pictures(const SafetensorsFile& file) {
  const std::string ending = ".input";
  std::vector<std::string> pictures;
  for (const std::string& name : file.names()) {
    if (name.ends_with(ending)) pictures.push_back(name.substr(0, name.size() - ending.size()));
  }
  return pictures;
}

void expect_same(const Example& actual, const Example& expected, const std::string& what) {
  EXPECT_EQ(actual.shape, expected.shape) << what;
  EXPECT_TRUE(actual.bytes == expected.bytes) << what;
}

// Input, size (from the output's shape) and what Pillow made of it are all in the files.
TEST(CentreCrop, equals_that_of_adm_bit_for_bit) {
  int compared = 0;
  for (const auto& path : test::golden_files("nets/crop")) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    ASSERT_EQ(file.metadata().at("layout"), "uint8 HWC") << path;
    for (const std::string& picture : golden_pictures(file)) {
      const Example output = golden_planes(file, picture + ".output");
      expect_same(centre_crop(golden_planes(file, picture + ".input"), output.shape[1]), output,
                  path.filename().string() + " " + picture);
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

TEST(CentreCrop, equals_that_of_adm_after_each_filter) {
  for (const auto& path : test::golden_files("nets/crop")) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    for (const std::string& picture : golden_pictures(file)) {
      Example halved = golden_planes(file, picture + ".input");
      const Example after_box = golden_planes(file, picture + ".after_box");
      while (halved.shape[1] > after_box.shape[1]) {
        halved = resample(halved, halved.shape[1] / 2, halved.shape[2] / 2, ResampleFilter::box);
      }
      expect_same(halved, after_box, picture + " after the box filter");
      const Example after_bicubic = golden_planes(file, picture + ".after_bicubic");
      expect_same(resample(after_box, after_bicubic.shape[1], after_bicubic.shape[2],
                           ResampleFilter::bicubic),
                  after_bicubic, picture + " after the bicubic filter");
    }
  }
}

RC_GTEST_PROP(CentreCrop, gives_a_square_of_the_wanted_size_from_any_picture, ()) {
  const auto channels = *rc::gen::inRange<int64_t>(1, 5);
  const auto height = *rc::gen::inRange<int64_t>(1, 200);
  const auto width = *rc::gen::inRange<int64_t>(1, 200);
  const auto size = *rc::gen::inRange<int64_t>(1, 70);
  Example source = planes(channels, height, width, 77);
  source.label = 5;
  const Example crop = centre_crop(source, size);
  RC_ASSERT(crop.shape == (std::vector<int64_t>{channels, size, size}));
  RC_ASSERT(crop.bytes == planes(channels, size, size, 77).bytes);
  RC_ASSERT(crop.label == 5);
}

TEST(CentreCrop, only_cuts_when_the_shorter_side_fits_already) {
  Example source = planes(1, 2, 5, 0);
  for (size_t i = 0; i < 10; ++i) source.bytes[i] = static_cast<std::byte>(i);
  // Five columns, two kept: one is cut off on the left, two on the right.
  const std::vector<std::byte> expected = {std::byte{1}, std::byte{2}, std::byte{6}, std::byte{7}};
  EXPECT_EQ(centre_crop(source, 2).bytes, expected);
}

TEST(CentreCrop, of_a_long_thin_picture_makes_only_what_it_keeps) {
  // Enlarged as a whole it would have 64 * 64 million pixels.
  EXPECT_EQ(centre_crop(planes(1, 1, 1'000'000, 9), 64).bytes, planes(1, 64, 64, 9).bytes);
  EXPECT_EQ(centre_crop(planes(1, 1'000'000, 1, 9), 64).bytes, planes(1, 64, 64, 9).bytes);
}

TEST(CentreCrop, refuses_impossible_sizes) {
  for (const int64_t size : {int64_t{0}, int64_t{-1}, int64_t{1} << 15, INT64_MAX, INT64_MIN}) {
    expect_error(ErrorKind::usage, std::to_string(size) + " pixels a side",
                 [&] { centre_crop(planes(1, 2, 2, 0), size); });
  }
}

TEST(CentreCrop, refuses_what_is_not_a_picture) {
  expect_error(ErrorKind::usage, "as a picture", [] {
    centre_crop({.dtype = Dtype::f32, .shape = {1, 1, 1}, .bytes = std::vector<std::byte>(4)}, 1);
  });
}

}  // namespace
}  // namespace eqm
