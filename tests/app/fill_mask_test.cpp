#include "eqm/app/fill_mask.h"

#include <gtest/gtest.h>

#include "eqm/io/png.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

using app::FillMask;
using app::known_elements;
using app::read_fill_mask;

// Rows of 4x4 masks, x where pixels are missing.
std::string drawn(const FillMask& mask) {
  std::string text;
  for (size_t i = 0; i < mask.missing.size(); ++i) {
    text += mask.missing[i] ? 'x' : '.';
    if ((i + 1) % static_cast<size_t>(mask.width) == 0) text += ' ';
  }
  return text;
}

TEST(FillMask, sides_miss_their_share) {
  EXPECT_EQ(drawn(read_fill_mask("left", 4, 4)), "xx.. xx.. xx.. xx.. ");
  EXPECT_EQ(drawn(read_fill_mask("right:0.25", 4, 4)), "...x ...x ...x ...x ");
  EXPECT_EQ(drawn(read_fill_mask(" top : 0.75", 4, 4)), "xxxx xxxx xxxx .... ");
  EXPECT_EQ(drawn(read_fill_mask("bottom", 4, 4)), ".... .... xxxx xxxx ");
  EXPECT_EQ(drawn(read_fill_mask("centre", 4, 4)), ".... .xx. .xx. .... ");
  EXPECT_EQ(read_fill_mask("centre", 4, 4).share(), 0.25);
  EXPECT_EQ(drawn(read_fill_mask("left:0.001", 2, 4)), "x... x... ") << "at least one column";
  EXPECT_EQ(drawn(read_fill_mask("left:0.999", 2, 4)), "xxx. xxx. ") << "one is left";
}

TEST(FillMask, a_picture_is_bright_where_pixels_are_missing) {
  const TemporaryFolder folder;
  const Image image = {.width = 2, .height = 1, .channels = 3, .pixels = {250, 250, 250, 9, 9, 9}};
  write_png(folder / "mask.png", image);
  EXPECT_EQ(drawn(read_fill_mask((folder / "mask.png").string(), 1, 2)), "x. ");
  expect_error(ErrorKind::input, "2x1 pixels, and the pictures have 4x4",
               [&] { read_fill_mask((folder / "mask.png").string(), 4, 4); });
  write_png(folder / "dark.png", {.width = 1, .height = 1, .channels = 1, .pixels = {0}});
  expect_error(ErrorKind::usage, "nothing to fill in",
               [&] { read_fill_mask((folder / "dark.png").string(), 1, 1); });
  write_png(folder / "bright.png", {.width = 1, .height = 1, .channels = 1, .pixels = {255}});
  expect_error(ErrorKind::usage, "nothing known",
               [&] { read_fill_mask((folder / "bright.png").string(), 1, 1); });
}

TEST(FillMask, nonsense_is_refused) {
  for (const char* text : {"left:0", "left:1", "left:x", "left:", "left:0.5:2", "left:nan"}) {
    expect_error(ErrorKind::usage, "no share", [&] { read_fill_mask(text, 4, 4); });
  }
  expect_error(ErrorKind::usage, "neither a side nor a picture",
               [] { read_fill_mask("nowhere.png", 4, 4); });
  expect_error(ErrorKind::usage, "no mask", [] { read_fill_mask(" ", 4, 4); });
}

TEST(FillMask, a_latent_is_missing_where_any_of_its_pixels_is) {
  FillMask mask = {.height = 4, .width = 4, .missing = std::vector<bool>(16)};
  mask.missing[3] = true;  // the upper right corner
  EXPECT_EQ(known_elements(mask, {2, 2, 2}),
            (std::vector<bool>{true, false, true, true, true, false, true, true}));
  EXPECT_EQ(known_elements(mask, {1, 4, 4})[3], false);
  EXPECT_EQ(known_elements(mask, {1, 4, 4})[2], true);
}

}  // namespace
}  // namespace eqm::test
