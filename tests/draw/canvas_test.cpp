#include "eqm/draw/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "eqm/base/error.h"
#include "tests/support/not_numbers.h"

namespace eqm::draw {
namespace {

constexpr Colour kRed{1, 0, 0, 1};
using Rgb = std::array<int, 3>;
constexpr Rgb kWhitePixel{255, 255, 255};
constexpr Rgb kRedPixel{255, 0, 0};

Rgb pixel(const Pixels& pixels, int x, int y) {
  const auto at = static_cast<std::size_t>(3 * (y * pixels.width + x));
  return {pixels.rgb[at], pixels.rgb[at + 1], pixels.rgb[at + 2]};
}

bool is_blank(const Canvas& canvas) {
  const Pixels pixels = canvas.to_pixels();
  return std::all_of(pixels.rgb.begin(), pixels.rgb.end(), [](std::uint8_t v) { return v == 255; });
}

TEST(Canvas, starts_white) {
  EXPECT_TRUE(is_blank(Canvas(20, 10)));
}

TEST(Canvas, a_filled_rectangle_has_its_colour_and_its_place) {
  Canvas canvas(20, 10);
  canvas.rectangle({5, 2, 4, 3}, kRed);
  const Pixels pixels = canvas.to_pixels();
  EXPECT_EQ(pixel(pixels, 5, 2), kRedPixel);
  EXPECT_EQ(pixel(pixels, 8, 4), kRedPixel);
  EXPECT_EQ(pixel(pixels, 9, 4), kWhitePixel);
  EXPECT_EQ(pixel(pixels, 5, 5), kWhitePixel);
}

TEST(Canvas, translucent_colours_mix_with_the_paper) {
  Canvas canvas(4, 4);
  canvas.rectangle({0, 0, 4, 4}, kRed.with_alpha(0.5));
  const Rgb mixed = pixel(canvas.to_pixels(), 1, 1);
  EXPECT_EQ(mixed[0], 255);
  EXPECT_NEAR(mixed[1], 128, 1);
}

TEST(Canvas, scale_multiplies_the_pixels) {
  Canvas canvas(20, 10);
  canvas.rectangle({5, 2, 4, 3}, kRed);
  const Pixels pixels = canvas.to_pixels(3);
  EXPECT_EQ(pixels.width, 60);
  EXPECT_EQ(pixels.height, 30);
  EXPECT_EQ(pixels.rgb.size(), 60u * 30u * 3u);
  EXPECT_EQ(pixel(pixels, 15, 6), kRedPixel);
  EXPECT_EQ(pixel(pixels, 14, 6), kWhitePixel);
}

TEST(Canvas, svg_has_a_header_the_size_of_the_pixels_and_a_path) {
  Canvas canvas(120, 80);
  canvas.line({10, 10}, {50, 50}, {});
  const std::string svg = canvas.to_svg();
  const Pixels pixels = canvas.to_pixels();
  EXPECT_TRUE(svg.starts_with("<?xml"));
  EXPECT_NE(svg.find("<path"), std::string::npos);
  EXPECT_NE(svg.find("width=\"" + std::to_string(pixels.width) + "px\""), std::string::npos);
  EXPECT_NE(svg.find("height=\"" + std::to_string(pixels.height) + "px\""), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

TEST(Canvas, every_primitive_leaves_a_mark) {
  const Point corners[] = {{5, 5}, {25, 5}, {15, 25}};
  const std::function<void(Canvas&)> primitives[] = {
      [](Canvas& c) {
        c.line({5, 5}, {25, 25}, {});
      },
      [&](Canvas& c) {
        c.polyline(corners, {.dashes = {3, 2}});
      },
      [&](Canvas& c) { c.polygon(corners, kRed); },
      [](Canvas& c) {
        c.rectangle({5, 5, 9, 9}, kRed);
      },
      [](Canvas& c) {
        c.outline({5, 5, 9, 9}, {});
      },
      [](Canvas& c) {
        c.circle({15, 15}, 5, kRed);
      },
      [](Canvas& c) {
        c.star({15, 15}, 8, kRed, {});
      },
      [](Canvas& c) {
        c.arrow({5, 15}, {25, 15}, {});
      },
      [](Canvas& c) {
        c.text({5, 20}, "γ", {});
      },
      [](Canvas& c) {
        c.image({5, 5, 9, 9}, {.width = 1, .height = 1, .pixels = {kRed}});
      },
  };
  for (const auto& draw_one : primitives) {
    Canvas canvas(30, 30);
    draw_one(canvas);
    EXPECT_FALSE(is_blank(canvas));
  }
}

TEST(Canvas, dots_are_round_and_centred) {
  Canvas canvas(21, 21);
  canvas.circle({10.5, 10.5}, 6, kRed);
  const Pixels pixels = canvas.to_pixels();
  EXPECT_EQ(pixel(pixels, 10, 10), kRedPixel);
  EXPECT_EQ(pixel(pixels, 5, 10), kRedPixel);
  EXPECT_EQ(pixel(pixels, 10, 15), kRedPixel);
  EXPECT_EQ(pixel(pixels, 5, 5), kWhitePixel);
}

TEST(Canvas, an_image_keeps_its_orientation_and_fills_its_rectangle_to_the_border) {
  Canvas canvas(20, 20);
  const Colour blue{0, 0, 1};
  canvas.image({0, 0, 20, 20}, {.width = 2, .height = 2, .pixels = {kRed, kRed, kRed, blue}});
  const Pixels pixels = canvas.to_pixels();
  EXPECT_EQ(pixel(pixels, 0, 0), kRedPixel);
  EXPECT_EQ(pixel(pixels, 19, 0), kRedPixel);
  EXPECT_EQ(pixel(pixels, 0, 19), kRedPixel);
  EXPECT_EQ(pixel(pixels, 19, 19), (Rgb{0, 0, 255}));
  EXPECT_NEAR(pixel(pixels, 19, 10)[2], 128, 20);  // half way between red and blue
}

TEST(Canvas, a_sharp_image_shows_each_pixel_as_a_block_of_its_colour) {
  const Pixels picture{.width = 3,
                       .height = 2,
                       .rgb = {255, 0, 0, 0, 255, 0, 0, 0, 255,  //
                               9, 200, 7, 0, 0, 0, 255, 1, 128}};
  for (const int zoom : {1, 2, 5, 31, 100}) {
    Canvas canvas(3 * zoom + 4, 2 * zoom + 4);
    canvas.image({2, 2, 3.0 * zoom, 2.0 * zoom}, picture, Sampling::nearest);
    const Pixels pixels = canvas.to_pixels();
    for (int y = 0; y < pixels.height; ++y) {
      for (int x = 0; x < pixels.width; ++x) {
        const bool inside = x >= 2 && y >= 2 && x < 2 + 3 * zoom && y < 2 + 2 * zoom;
        const Rgb expected = inside ? pixel(picture, (x - 2) / zoom, (y - 2) / zoom) : kWhitePixel;
        ASSERT_EQ(pixel(pixels, x, y), expected) << zoom << ": " << x << " " << y;
      }
    }
  }
}

TEST(Canvas, a_sharp_image_is_transparent_where_its_colours_are) {
  Canvas canvas(4, 2);
  const Raster raster{.width = 2, .height = 1, .pixels = {kRed, kRed.with_alpha(0)}};
  canvas.image({0, 0, 4, 2}, raster, Sampling::nearest);
  const Pixels pixels = canvas.to_pixels();
  EXPECT_EQ(pixel(pixels, 1, 1), kRedPixel);
  EXPECT_EQ(pixel(pixels, 2, 1), kWhitePixel);
}

TEST(Canvas, a_sharp_image_larger_than_memory_is_drawn_all_the_same) {
  Canvas canvas(10, 10);
  canvas.image({0, 0, 9e5, 9e5}, Raster{.width = 1, .height = 1, .pixels = {kRed}},
               Sampling::nearest);
  EXPECT_EQ(pixel(canvas.to_pixels(), 9, 9), kRedPixel);
}

TEST(Canvas, an_image_with_too_few_or_too_many_pixels_is_a_usage_error) {
  Canvas canvas(10, 10);
  EXPECT_THROW(canvas.image({0, 0, 5, 5}, Pixels{.width = 2, .height = 2, .rgb = {1, 2, 3}}),
               Error);
  EXPECT_THROW(canvas.image({0, 0, 5, 5}, Raster{.width = 0, .height = 2, .pixels = {kRed}}),
               Error);
  EXPECT_THROW(canvas.image({0, 0, 5, 5}, Pixels{.width = -1, .height = -1, .rgb = {1, 2, 3}}),
               Error);
}

TEST(Canvas, what_is_not_finite_is_left_out) {
  Canvas canvas(30, 30);
  const Point lost[] = {{kNan, 5}, {5, kInf}, {-kInf, kNan}};
  canvas.polyline(lost, {});
  canvas.polygon(lost, kRed);
  canvas.dots(lost, 3, kRed);
  canvas.arrows(lost, lost, {});
  canvas.star({kNan, 3}, 5, kRed, {});
  canvas.text({kInf, 3}, "lost", {});
  canvas.rectangle({0, 0, kNan, 3}, kRed);
  canvas.image({0, kInf, 3, 3}, {.width = 1, .height = 1, .pixels = {kRed}});
  EXPECT_TRUE(is_blank(canvas));
}

TEST(Canvas, a_missing_point_breaks_a_line_in_two) {
  Canvas canvas(40, 9);
  const Point line[] = {{0, 4.5}, {10, 4.5}, {kNan, 4.5}, {30, 4.5}, {40, 4.5}};
  canvas.polyline(line, {.colour = kRed, .width = 3});
  const Pixels pixels = canvas.to_pixels();
  EXPECT_EQ(pixel(pixels, 5, 4), kRedPixel);
  EXPECT_EQ(pixel(pixels, 20, 4), kWhitePixel);
  EXPECT_EQ(pixel(pixels, 35, 4), kRedPixel);
}

TEST(Canvas, a_line_to_far_away_keeps_its_direction) {
  for (const double far : {1e5, 1e7, 1e30, 1e300}) {
    Canvas canvas(41, 41);
    canvas.line({10.5, 5.5}, {10.5 + far, 5.5 + far / 2}, {.colour = kRed, .width = 3});
    canvas.line({30.5 - far, 35.5}, {30.5, 35.5}, {.colour = kRed, .width = 3});
    const Pixels pixels = canvas.to_pixels();
    EXPECT_EQ(pixel(pixels, 30, 15), kRedPixel) << far;
    EXPECT_EQ(pixel(pixels, 30, 25), kWhitePixel) << far;
    EXPECT_EQ(pixel(pixels, 3, 35), kRedPixel) << far;
  }
}

TEST(Canvas, clips_until_popped) {
  Canvas canvas(20, 20);
  canvas.push_clip({0, 0, 10, 20});
  canvas.rectangle({0, 0, 20, 10}, kRed);
  canvas.pop_clip();
  canvas.rectangle({0, 15, 20, 5}, kRed);
  const Pixels pixels = canvas.to_pixels();
  EXPECT_EQ(pixel(pixels, 5, 5), kRedPixel);
  EXPECT_EQ(pixel(pixels, 15, 5), kWhitePixel);
  EXPECT_EQ(pixel(pixels, 15, 17), kRedPixel);
}

TEST(Canvas, an_open_clip_does_not_spoil_the_output_and_a_surplus_pop_is_an_error) {
  Canvas canvas(20, 20);
  canvas.push_clip({0, 0, 10, 20});
  EXPECT_NO_THROW(canvas.to_svg());
  canvas.pop_clip();
  EXPECT_THROW(canvas.pop_clip(), Error);
}

TEST(Canvas, wide_text_shrinks_to_its_room) {
  Canvas canvas(200, 30);
  canvas.text({10, 20}, "a title much longer than its room", {.colour = kRed, .max_width = 50});
  const Pixels pixels = canvas.to_pixels();
  for (int y = 0; y < 30; ++y) {
    for (int x = 64; x < 200; ++x) ASSERT_EQ(pixel(pixels, x, y), kWhitePixel) << x << " " << y;
  }
}

TEST(Canvas, text_that_is_not_utf8_is_drawn_all_the_same) {
  Canvas canvas(100, 30);
  canvas.text({10, 20}, "bad \xff\xc3 name", {});
  EXPECT_FALSE(is_blank(canvas));
  EXPECT_TRUE(canvas.to_svg().starts_with("<?xml"));
}

TEST(Canvas, a_hundred_thousand_dots_make_a_small_svg) {
  Canvas canvas(300, 300);
  Polyline cloud;
  for (int k = 0; k < 100000; ++k)
    cloud.push_back({std::fmod(k * 0.7548, 300), std::fmod(k * 0.5698, 300)});
  canvas.dots(cloud, 1, kRed.with_alpha(0.3));
  EXPECT_LT(canvas.to_svg().size(), 8u << 20);
}

TEST(Canvas, impossible_sizes_are_usage_errors) {
  EXPECT_THROW(Canvas(0, 10), Error);
  EXPECT_THROW(Canvas(10, 100000), Error);
  const Canvas canvas(1000, 10);
  EXPECT_THROW(canvas.to_pixels(0), Error);
  EXPECT_THROW(canvas.to_pixels(kNan), Error);
  EXPECT_THROW(canvas.to_pixels(1000), Error);
}

TEST(TextWidth, grows_with_text_and_size) {
  EXPECT_EQ(text_width("", {}), 0);
  EXPECT_GT(text_width("wide text", {}), text_width("text", {}));
  EXPECT_NEAR(text_width("text", {.size = 24}), 2 * text_width("text", {.size = 12}), 0.1);
}

}  // namespace
}  // namespace eqm::draw
