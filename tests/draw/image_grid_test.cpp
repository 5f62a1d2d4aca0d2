#include "eqm/draw/image_grid.h"

#include <algorithm>
#include <array>
#include <climits>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm::draw {
namespace {

using test::expect_error;
using Rgb = std::array<int, 3>;
constexpr Rgb kWhitePixel{255, 255, 255};

Rgb pixel(const Pixels& pixels, int x, int y) {
  const auto at = static_cast<std::size_t>(3 * (y * pixels.width + x));
  return {pixels.rgb[at], pixels.rgb[at + 1], pixels.rgb[at + 2]};
}

// Every pixel of every picture has its own colour, none of them white.
std::vector<Pixels> pictures(int count, int width, int height) {
  std::vector<Pixels> all;
  for (int k = 0; k < count; ++k) {
    Pixels& picture = all.emplace_back(Pixels{.width = width, .height = height, .rgb = {}});
    for (int at = 0; at < width * height; ++at) {
      for (const int value : {k % 251, at % 241, (at / 241) % 251}) {
        picture.rgb.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  return all;
}

// The top left corner of the block that shows pixel 0 of picture k.
std::pair<int, int> find_picture(const Pixels& pixels, int k) {
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      if (pixel(pixels, x, y) == Rgb{k, 0, 0}) return {x, y};
    }
  }
  return {-1, -1};
}

void expect_exact(const Pixels& shown, const Pixels& picture, int left, int top, int zoom) {
  for (int y = 0; y < zoom * picture.height; ++y) {
    for (int x = 0; x < zoom * picture.width; ++x) {
      ASSERT_EQ(pixel(shown, left + x, top + y), pixel(picture, x / zoom, y / zoom))
          << x << " " << y;
    }
  }
}

TEST(ImageGrid, shows_every_pixel_of_every_picture_exactly) {
  const std::vector<Pixels> given = pictures(6, 5, 4);
  for (const int zoom : {1, 3, 8}) {
    const Canvas grid = image_grid(given, {.title = "title",
                                           .columns = 3,
                                           .row_labels = {"one", "two"},
                                           .column_labels = {"a", "b", "c"},
                                           .gap = 2,
                                           .zoom = zoom});
    const Pixels shown = grid.to_pixels();
    const auto [left, top] = find_picture(shown, 0);
    ASSERT_GE(left, 0);
    for (int k = 0; k < 6; ++k) {
      const int x = left + (k % 3) * (5 * zoom + 2);
      const int y = top + (k / 3) * (4 * zoom + 2);
      expect_exact(shown, given[static_cast<std::size_t>(k)], x, y, zoom);
    }
    EXPECT_EQ(pixel(shown, left + 5 * zoom, top), kWhitePixel) << "no gap";
    EXPECT_EQ(pixel(shown, left, top + 4 * zoom), kWhitePixel) << "no gap";
  }
}

TEST(ImageGrid, stays_sharp_on_a_scaled_canvas_and_in_svg) {
  const std::vector<Pixels> given = pictures(1, 7, 7);
  const Canvas grid = image_grid(given, {.zoom = 3});
  const Pixels shown = grid.to_pixels(2);
  const auto [left, top] = find_picture(shown, 0);
  expect_exact(shown, given[0], left, top, 6);
  // 21 pixels a side and the ring around them: blocks, not the 7 pixels for the viewer to smooth.
  EXPECT_NE(grid.to_svg().find("width=\"23\" height=\"23\""), std::string::npos);
}

TEST(ImageGrid, makes_small_pictures_large_enough_to_see) {
  EXPECT_EQ(grid_zoom(28, 28, 8, 10), 4);
  EXPECT_EQ(grid_zoom(32, 32, 9, 10), 4);
  EXPECT_EQ(grid_zoom(28, 28, 14, 3), 3);
  EXPECT_EQ(grid_zoom(28, 28, 16, 3), 3);
  EXPECT_EQ(grid_zoom(8, 8, 4, 4), 14);
  EXPECT_EQ(grid_zoom(64, 64, 8, 8), 2);
  EXPECT_EQ(grid_zoom(0, 0, 1, 1), 1);
  const Canvas grid = image_grid(pictures(1, 28, 28));
  EXPECT_GE(grid.width(), 112);
  EXPECT_LT(grid.width(), 160);
}

TEST(ImageGrid, leaves_large_pictures_and_crowds_within_a_screen) {
  for (const int width : {128, 256, 1024}) EXPECT_EQ(grid_zoom(width, width, 1, 1), 1);
  EXPECT_EQ(grid_zoom(64, 64, 20, 20), 1);
  EXPECT_EQ(grid_zoom(28, 28, 20, 20), 2);
  EXPECT_EQ(grid_zoom(28, 28, 40, 10), 2) << "no smaller, whatever the width";
  EXPECT_LT(image_grid(pictures(400, 28, 28)).width(), 1400);
}

TEST(ImageGrid, puts_captions_below_their_pictures) {
  const std::vector<Pixels> given = pictures(4, 10, 10);
  const auto captioned = [&](std::vector<std::vector<std::string>> captions) {
    return image_grid(given, {.columns = 2, .zoom = 6, .captions = std::move(captions)});
  };
  const Canvas plain = captioned({});
  const Canvas grid = captioned({{"step 0", "norm 105"}, {"step 1"}, {}, {"end"}});
  EXPECT_EQ(grid.width(), plain.width());
  EXPECT_GT(grid.height(), plain.height() + 40);
  const Pixels shown = grid.to_pixels();
  int ink = 0;
  for (int k = 0; k < 4; ++k) {
    const auto [x, y] = find_picture(shown, k);
    expect_exact(shown, given[static_cast<std::size_t>(k)], x, y, 6);
    for (int i = 0; i < 60 * 26; ++i) {
      const bool marked = pixel(shown, x + i % 60, y + 61 + i / 60) != kWhitePixel;
      ink += marked;
      EXPECT_FALSE(k == 2 && marked);
    }
  }
  EXPECT_GT(ink, 100);
}

TEST(ImageGrid, is_as_wide_as_its_column_labels_or_about_square) {
  const std::vector<Pixels> given = pictures(9, 10, 10);
  const auto shape = [&given](const GridOptions& options) {
    const Pixels shown = image_grid(given, options).to_pixels();
    const auto [left, top] = find_picture(shown, 0);
    int columns = 1;
    while (columns < 9 && find_picture(shown, columns).second == top) ++columns;
    return columns;
  };
  EXPECT_EQ(shape({}), 3);
  EXPECT_EQ(shape({.column_labels = {"a", "b", "c", "d", "e"}}), 5);
  EXPECT_EQ(shape({.columns = 4}), 4);
  EXPECT_EQ(shape({.columns = 20}), 9);
}

TEST(ImageGrid, leaves_the_rest_of_the_last_row_empty) {
  const Pixels shown = image_grid(pictures(3, 8, 8), {.columns = 2, .zoom = 1}).to_pixels();
  const auto [x, y] = find_picture(shown, 2);
  EXPECT_EQ(pixel(shown, x + 8 + 4 + 3, y + 3), kWhitePixel);
}

TEST(ImageGrid, keeps_words_out_of_the_pictures_and_inside_the_canvas) {
  const std::vector<Pixels> given = pictures(4, 20, 20);
  const std::string longest(60, 'w');
  const Canvas grid = image_grid(given, {.title = longest,
                                         .columns = 2,
                                         .row_labels = {longest, "γ"},
                                         .column_labels = {longest, "short"},
                                         .zoom = 2});
  const Pixels shown = grid.to_pixels();
  const auto [left, top] = find_picture(shown, 0);
  for (int k = 0; k < 4; ++k) {
    const auto [x, y] = find_picture(shown, k);
    expect_exact(shown, given[static_cast<std::size_t>(k)], x, y, 2);
  }
  for (int y = 0; y < shown.height; ++y) {
    EXPECT_EQ(pixel(shown, 0, y), kWhitePixel) << "words reach the border at " << y;
    EXPECT_EQ(pixel(shown, shown.width - 1, y), kWhitePixel) << "words reach the border at " << y;
  }
  EXPECT_GT(left, 100);
  EXPECT_GT(top, 40);
}

TEST(ImageGrid, draws_labels) {
  const auto ink = [](const GridOptions& options) {
    const Pixels shown = image_grid(pictures(4, 10, 10), options).to_pixels();
    const auto [left, top] = find_picture(shown, 0);
    int count = 0;
    for (int y = 0; y < shown.height; ++y) {
      for (int x = 0; x < shown.width; ++x) {
        if (y < top - 1 || x < left - 1) count += pixel(shown, x, y) != kWhitePixel;
      }
    }
    return count;
  };
  EXPECT_EQ(ink({}), 0);
  EXPECT_GT(ink({.title = "samples"}), 20);
  EXPECT_GT(ink({.row_labels = {"bag", "coat"}}), 20);
  EXPECT_GT(ink({.column_labels = {"bag", "coat"}}), 20);
}

TEST(ImageGrid, draws_hundreds_of_pictures_at_once) {
  const std::vector<Pixels> given = pictures(900, 8, 8);
  const Pixels shown = image_grid(given, {.columns = 30, .zoom = 1}).to_pixels();
  const auto [left, top] = find_picture(shown, 0);
  const auto [next, same] = find_picture(shown, 1);
  EXPECT_EQ(same, top);
  const int pitch = next - left;
  for (int k = 0; k < 900; ++k) {
    expect_exact(shown, given[static_cast<std::size_t>(k)], left + k % 30 * pitch,
                 top + k / 30 * pitch, 1);
  }
}

TEST(ImageGrid, refuses_what_does_not_make_a_grid) {
  const std::vector<Pixels> given = pictures(4, 5, 4);
  const auto refused = [&given](const std::string& part, const GridOptions& options) {
    expect_error(ErrorKind::usage, part, [&] { image_grid(given, options); });
  };
  refused("3 labels for 2 rows", {.row_labels = {"a", "b", "c"}});
  refused("3 labels for 2 columns", {.columns = 2, .column_labels = {"a", "b", "c"}});
  refused("-1 columns", {.columns = -1});
  refused("gaps of -2", {.gap = -2});
  refused("cannot be drawn", {.zoom = 10'000});
  refused("cannot be drawn", {.columns = INT_MAX});
  refused("cannot be drawn", {.gap = INT_MAX, .zoom = INT_MAX});
  refused("1 captions for 4 pictures", {.captions = {{"a"}}});
  expect_error(ErrorKind::usage, "needs pictures", [] { image_grid({}); });
  expect_error(ErrorKind::usage, "0 by 0", [] { image_grid(std::vector<Pixels>(2)); });
  std::vector<Pixels> mixed = given;
  mixed.push_back(pictures(1, 6, 4)[0]);
  expect_error(ErrorKind::usage, "6 by 4", [&] { image_grid(mixed); });
}

}  // namespace
}  // namespace eqm::draw
