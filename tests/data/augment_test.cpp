#include "eqm/data/augment.h"

#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

Example example_of(Dtype dtype, std::vector<int64_t> shape, std::string_view text) {
  Example example{.dtype = dtype, .shape = std::move(shape), .bytes = {}, .label = 4};
  for (const char letter : text) example.bytes.push_back(static_cast<std::byte>(letter));
  return example;
}

std::string text_of(const Example& example) {
  return {reinterpret_cast<const char*>(example.bytes.data()), example.bytes.size()};
}

TEST(Flip, mirrors_every_row_of_every_plane) {
  Example example = example_of(Dtype::u8, {2, 2, 3}, "abcdefghijkl");
  flip_horizontally(example);
  EXPECT_EQ(text_of(example), "cbafedihglkj");
  EXPECT_EQ(example.label, 4);
}

TEST(Flip, keeps_wide_elements_whole) {
  Example example = example_of(Dtype::f32, {1, 2, 2}, "abcdefghijklmnop");
  flip_horizontally(example);
  EXPECT_EQ(text_of(example), "efghabcdmnopijkl");
}

TEST(Flip, accepts_an_image_without_pixels) {
  Example example = example_of(Dtype::u8, {3, 4, 0}, "");
  flip_horizontally(example);
  EXPECT_TRUE(example.bytes.empty());
}

TEST(Flip, refuses_what_is_no_image) {
  Example example = example_of(Dtype::u8, {4}, "abcd");
  test::expect_error(ErrorKind::usage, "only images", [&] { flip_horizontally(example); });
}

TEST(Flip, takes_half_of_all_and_others_in_every_epoch_and_seed) {
  constexpr int64_t kCount = 10000;
  int64_t flipped = 0;
  int64_t other_epoch = 0;
  int64_t other_seed = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    const bool first = is_flipped(1, 0, i);
    EXPECT_EQ(is_flipped(1, 0, i), first);
    flipped += first ? 1 : 0;
    other_epoch += is_flipped(1, 1, i) != first ? 1 : 0;
    other_seed += is_flipped(2, 0, i) != first ? 1 : 0;
  }
  // Four standard deviations of a fair coin.
  EXPECT_NEAR(static_cast<double>(flipped), 5000, 200);
  EXPECT_NEAR(static_cast<double>(other_epoch), 5000, 200);
  EXPECT_NEAR(static_cast<double>(other_seed), 5000, 200);
}

}  // namespace
}  // namespace eqm
