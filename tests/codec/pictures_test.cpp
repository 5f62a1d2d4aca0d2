#include "eqm/codec/pictures.h"

#include <algorithm>
#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "eqm/draw/image_grid.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace eqm::test {
namespace {

using Bytes8 = std::vector<uint8_t>;

TEST(Pictures, bring_every_pixel_back) {
  const Tensor bytes = torch::arange(256).reshape({2, 1, 8, 16}).to(torch::kUInt8);
  for (const torch::ScalarType type : kPrecisions) {
    const Tensor states = Scaling::pixels().to_states(bytes).to(type);
    const std::vector<Image> images = pictures_of(states, Scaling::pixels());
    ASSERT_EQ(images.size(), 2U);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(images[i].width, 16);
      EXPECT_EQ(images[i].height, 8);
      EXPECT_EQ(images[i].channels, 1);
      const Tensor own = bytes[static_cast<int64_t>(i)].contiguous();
      const auto* data = own.data_ptr<uint8_t>();
      EXPECT_EQ(images[i].pixels, Bytes8(data, data + own.numel()));
    }
  }
}

TEST(Pictures, interleave_colours) {
  // Planes [3, 1, 2]: red 10 11, green 20 21, blue 30 31.
  const Tensor values = torch::tensor({10, 11, 20, 21, 30, 31}, torch::kFloat32);
  const std::vector<Image> images = pictures_of(values.reshape({1, 3, 1, 2}), Scaling{});
  EXPECT_EQ(images[0].channels, 3);
  EXPECT_EQ(images[0].pixels, (Bytes8{10, 20, 30, 11, 21, 31}));
}

TEST(Pictures, round_and_cut_off_what_no_byte_can_hold) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor values =
      torch::tensor({-7.0F, 0.4F, 0.6F, 254.6F, 300.0F, nan, infinity, -infinity});
  const std::vector<Image> images = pictures_of(values.reshape({1, 1, 2, 4}), Scaling{});
  EXPECT_EQ(images[0].pixels, (Bytes8{0, 0, 1, 255, 255, 0, 255, 0}));
}

TEST(Pictures, stretch_latents_to_the_range_they_have) {
  for (const int64_t channels : {4, 7}) {
    Tensor states = torch::zeros({2, channels, 1, 1});
    states[0][1] = 3;
    states[1][2] = -1;
    states[1][3] = 100;  // not shown
    const std::vector<Image> images = pictures_of(states, Scaling{});
    ASSERT_EQ(images.size(), 2U);
    EXPECT_EQ(images[0].channels, 3);
    EXPECT_EQ(images[0].pixels, (Bytes8{64, 255, 64}));
    EXPECT_EQ(images[1].pixels, (Bytes8{64, 64, 0}));
  }
}

TEST(Pictures, show_the_first_of_two_channels) {
  const Tensor states = torch::tensor({-1.0F, 1.0F, 50.0F, 60.0F}).reshape({1, 2, 1, 2});
  const std::vector<Image> images = pictures_of(states, Scaling{});
  EXPECT_EQ(images[0].channels, 1);
  EXPECT_EQ(images[0].pixels, (Bytes8{0, 255}));
}

TEST(Pictures, of_a_constant_latent_are_no_noise) {
  const std::vector<Image> images = pictures_of(torch::full({1, 4, 1, 1}, 5.0), Scaling{});
  EXPECT_EQ(images[0].pixels, (Bytes8{0, 0, 0}));
}

TEST(Pictures, of_nothing_are_none) {
  EXPECT_TRUE(pictures_of(torch::zeros({0, 3, 4, 4}), Scaling{}).empty());
}

TEST(Pictures, are_made_of_images_only) {
  for (const Shape& shape : {Shape{4}, Shape{4, 3}, Shape{3, 8, 8}, Shape{1, 1, 3, 8, 8}}) {
    expect_error(ErrorKind::usage, "only states of images",
                 [&] { pictures_of(torch::zeros(shape), Scaling{}); });
  }
}

TEST(Pictures, need_not_be_detached) {
  const Tensor states = torch::zeros({1, 1, 2, 2}).requires_grad_(true);
  EXPECT_EQ(pictures_of(states * 2, Scaling::pixels())[0].pixels.size(), 4U);
}

int64_t count_of(const Image& image, std::array<uint8_t, 3> colour) {
  int64_t count = 0;
  for (size_t at = 0; at + 2 < image.pixels.size(); at += 3) {
    if (std::equal(colour.begin(), colour.end(), image.pixels.begin() + static_cast<int64_t>(at))) {
      ++count;
    }
  }
  return count;
}

TEST(PictureGrid, shows_every_state_in_its_colour) {
  Tensor values = torch::zeros({4, 3, 8, 8});
  const std::vector<std::array<uint8_t, 3>> colours = {
      {250, 1, 2}, {3, 240, 4}, {5, 6, 230}, {200, 100, 7}};
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t c = 0; c < 3; ++c) {
      values[i][c] = static_cast<double>(colours[static_cast<size_t>(i)][static_cast<size_t>(c)]);
    }
  }
  const Image grid = picture_grid(Scaling::pixels().to_states(values), Scaling::pixels(), 2,
                                  {"first", "second"}, "title");
  EXPECT_EQ(grid.channels, 3);
  EXPECT_FALSE(problem_of(grid).has_value());
  for (const auto& colour : colours) {
    const int zoom = draw::grid_zoom(8, 8, 2, 2);
    EXPECT_EQ(count_of(grid, colour), 64 * zoom * zoom);  // each pixel is a square
  }
}

TEST(PictureGrid, shows_grey_as_grey) {
  const Image grid = picture_grid(torch::full({1, 1, 64, 64}, 77.0), Scaling{}, 1, {}, "");
  const int zoom = draw::grid_zoom(64, 64, 1, 1);
  EXPECT_EQ(count_of(grid, {77, 77, 77}), 64 * 64 * zoom * zoom);
}

TEST(PictureGrid, refuses_names_that_do_not_fit_its_rows) {
  expect_error(ErrorKind::usage, "3 labels for 2 rows", [] {
    picture_grid(torch::zeros({4, 1, 8, 8}), Scaling{}, 2, {"a", "b", "c"}, "");
  });
}

}  // namespace
}  // namespace eqm::test
