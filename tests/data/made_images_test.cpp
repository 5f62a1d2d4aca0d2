#include "eqm/data/made_images.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

constexpr PlaneSize kSize = {.channels = 3, .height = 8, .width = 10};

TEST(MadeImages, of_one_colour_have_one_level_in_each_plane) {
  const SourcePtr source = made_images(MadeImages::constant, 200, kSize);
  ASSERT_EQ(source->size(), 200);
  std::set<std::vector<std::byte>> colours;
  std::set<std::byte> levels;
  for (int64_t i = 0; i < source->size(); ++i) {
    const Example image = source->get(i);
    ASSERT_EQ(image.shape, (std::vector<int64_t>{3, 8, 10}));
    ASSERT_EQ(image.bytes.size(), 240U);
    EXPECT_EQ(image.label, kNoLabel);
    std::vector<std::byte> colour;
    for (auto plane = image.bytes.begin(); plane != image.bytes.end(); plane += 80) {
      EXPECT_EQ(std::count(plane, plane + 80, *plane), 80);
      colour.push_back(*plane);
      levels.insert(*plane);
    }
    colours.insert(colour);
  }
  EXPECT_GT(colours.size(), 195U);
  EXPECT_LT(*levels.begin(), std::byte{8});
  EXPECT_GT(*levels.rbegin(), std::byte{247});
}

TEST(MadeImages, of_noise_hold_all_bytes_about_equally_often) {
  const SourcePtr source = made_images(MadeImages::noise, 100, kSize);
  std::vector<int> counts(256, 0);
  for (int64_t i = 0; i < source->size(); ++i) {
    for (const std::byte byte : source->get(i).bytes) ++counts[static_cast<size_t>(byte)];
  }
  // 24,000 bytes: 94 of each, with a standard deviation of 10.
  EXPECT_GT(*std::ranges::min_element(counts), 50);
  EXPECT_LT(*std::ranges::max_element(counts), 150);
}

TEST(MadeImages, are_the_same_whenever_they_are_asked_for) {
  for (const auto& [name, kind] : made_image_names()) {
    const SourcePtr few = made_images(kind, 3, kSize), many = made_images(kind, 30, kSize);
    EXPECT_EQ(few->get(2).bytes, many->get(2).bytes);
    EXPECT_NE(few->get(1).bytes, few->get(2).bytes);
    EXPECT_EQ(few->name_of(2), name + " 2");
    EXPECT_TRUE(few->class_names().empty());
    EXPECT_NE(few->fingerprint(), many->fingerprint());
    EXPECT_EQ(few->fingerprint(), made_images(kind, 3, kSize)->fingerprint());
  }
}

TEST(MadeImages, cannot_be_none) {
  expect_error(ErrorKind::usage, "no 0 images", [] { made_images(MadeImages::noise, 0, kSize); });
  expect_error(ErrorKind::usage, "x 0 x",
               [] { made_images(MadeImages::noise, 1, {.channels = 1, .height = 0, .width = 2}); });
  const SourcePtr source = made_images(MadeImages::noise, 2, kSize);
  expect_error(ErrorKind::usage, "no example 2", [&] { source->get(2); });
}

}  // namespace
}  // namespace eqm::test
