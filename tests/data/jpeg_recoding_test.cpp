#include "eqm/data/jpeg_recoding.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "eqm/data/made_images.h"
#include "eqm/data/pixels.h"
#include "eqm/io/jpeg.h"
#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

constexpr PlaneSize kColour = {.channels = 3, .height = 16, .width = 24};

TEST(JpegRecoding, gives_the_pixels_that_a_file_of_that_quality_would) {
  Example noise = made_images(MadeImages::noise, 1, kColour)->get(0);
  noise.label = 7;
  const Example recoded = jpeg_recoded(noise, 75);
  EXPECT_EQ(recoded.shape, noise.shape);
  EXPECT_EQ(recoded.label, 7);
  EXPECT_NE(recoded.bytes, noise.bytes);
  const Image file = decode_jpeg(encode_jpeg(image_from_planes(noise), 75), "test");
  EXPECT_EQ(recoded.bytes, example_from_image(file, 3).bytes);
}

TEST(JpegRecoding, leaves_images_of_one_colour_almost_alone) {
  const SourcePtr plain = made_images(MadeImages::constant, 20, kColour);
  const SourcePtr recoded = jpeg_recoded(plain, 75);
  ASSERT_EQ(recoded->size(), 20);
  for (int64_t i = 0; i < 20; ++i) {
    const Example before = plain->get(i), after = recoded->get(i);
    for (size_t k = 0; k < before.bytes.size(); ++k) {
      const int change =
          std::to_integer<int>(after.bytes[k]) - std::to_integer<int>(before.bytes[k]);
      ASSERT_LE(std::abs(change), 8) << i;
    }
  }
  EXPECT_NE(recoded->fingerprint(), plain->fingerprint());
  EXPECT_NE(recoded->fingerprint(), jpeg_recoded(plain, 76)->fingerprint());
}

TEST(JpegRecoding, keeps_grey_grey) {
  const SourcePtr grey =
      made_images(MadeImages::noise, 1, {.channels = 1, .height = 5, .width = 7});
  EXPECT_EQ(jpeg_recoded(grey, 90)->get(0).shape, (std::vector<int64_t>{1, 5, 7}));
}

TEST(JpegRecoding, refuses_what_is_no_picture) {
  const Example two = {.shape = {2, 1, 1}, .bytes = std::vector<std::byte>(2)};
  expect_error(ErrorKind::usage, "", [&] { jpeg_recoded(two, 75); });
  const Example noise = made_images(MadeImages::noise, 1, kColour)->get(0);
  expect_error(ErrorKind::usage, "quality 101", [&] { jpeg_recoded(noise, 101); });
}

}  // namespace
}  // namespace eqm::test
