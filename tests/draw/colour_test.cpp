#include "eqm/draw/colour.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "eqm/base/error.h"

namespace eqm::draw {
namespace {

constexpr int kSteps = 100;

double lightness_at(const ColourMap& map, int step) {
  return lightness(map.at(double(step) / kSteps));
}

TEST(Lightness, spans_black_to_white) {
  EXPECT_NEAR(lightness({0, 0, 0}), 0, 1e-9);
  EXPECT_NEAR(lightness({1, 1, 1}), 100, 1e-9);
}

TEST(VividMap, lightness_grows_evenly) {
  const ColourMap map = vivid_map();
  const double mean = (lightness_at(map, kSteps) - lightness_at(map, 0)) / kSteps;
  EXPECT_GT(mean, 0.6);
  for (int k = 0; k < kSteps; ++k) {
    const double step = lightness_at(map, k + 1) - lightness_at(map, k);
    EXPECT_GT(step, 0.5 * mean) << k;
    EXPECT_LT(step, 1.5 * mean) << k;
  }
}

TEST(LightMap, lightness_falls_steadily_and_stays_far_from_ink) {
  const ColourMap map = light_map();
  for (int k = 0; k < kSteps; ++k) EXPECT_LT(lightness_at(map, k + 1), lightness_at(map, k)) << k;
  EXPECT_GT(lightness_at(map, kSteps), 75);
  EXPECT_LT(lightness(kInk), 20);
}

TEST(ColourMap, clamps_to_its_ends_and_makes_nan_transparent) {
  const ColourMap map({{1, 0, 0}, {0, 0, 1}});
  EXPECT_EQ(map.at(-3).r, 1);
  EXPECT_EQ(map.at(std::numeric_limits<double>::infinity()).b, 1);
  EXPECT_EQ(map.at(0.5).r, 0.5);
  EXPECT_EQ(map.at(std::numeric_limits<double>::quiet_NaN()).a, 0);
  EXPECT_EQ(map.reversed().at(0).b, 1);
}

TEST(ColourMap, without_colours_is_a_usage_error) {
  EXPECT_THROW(ColourMap({}), Error);
}

TEST(Category, neighbours_differ_and_the_palette_repeats) {
  for (std::size_t k = 0; k < 6; ++k) {
    const Colour a = category(k);
    const Colour b = category(k + 1);
    EXPECT_GT(std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b), 0.3) << k;
  }
  EXPECT_EQ(category(7).r, category(1).r);
}

}  // namespace
}  // namespace eqm::draw
