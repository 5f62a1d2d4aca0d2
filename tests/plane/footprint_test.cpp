#include "eqm/plane/footprint.h"

#include <gtest/gtest.h>

namespace eqm {
namespace {

PlaneFootprint footprint(const PlaneOptions& options, torch::ScalarType type = torch::kFloat32) {
  return footprint_of(options, options.points, type);
}

TEST(PlaneFootprint, is_small_by_default) {
  EXPECT_LT(footprint({}).total(), 100e6);
}

// The peaks of runs under Linux, without the 213 MB that a run of nothing takes.
TEST(PlaneFootprint, is_near_what_was_measured) {
  const auto expect_near = [](const PlaneOptions& options, double megabytes) {
    const double estimate = footprint(options).total() / (1 << 20);
    EXPECT_GT(estimate, 0.8 * megabytes);
    EXPECT_LT(estimate, 1.3 * megabytes);
  };
  const PlaneOptions small = {.points = 100,
                              .batch = 1,
                              .width = 8,
                              .depth = 1,
                              .fourier = 0,
                              .descent = {.limit = 2},
                              .samples = 10,
                              .paths = 10};
  PlaneOptions options = small;
  options.batch = 20'000, options.width = 256, options.depth = 32;
  expect_near(options, 1531 - 213);
  options.objective = ObjectiveKind::eqm_dot;
  expect_near(options, 7703 - 213);
  options = small;
  options.width = 1024, options.depth = 64;
  expect_near(options, 1690 - 213);
  options = small;
  options.samples = 20'000, options.width = 1024, options.depth = 6;
  options.objective = ObjectiveKind::eqm_dot;
  expect_near(options, 1376 - 213);
  options = small;
  options.points = 3'000'000;
  expect_near(options, 6095 - 213);
  options = small;
  options.samples = options.paths = 10'000, options.descent.limit = 2000;
  expect_near(options, 3491 - 213);
}

TEST(PlaneFootprint, names_the_options_behind_the_largest_part) {
  EXPECT_EQ(footprint({.batch = 1'000'000}).remedy(), "lower batch, width, depth or fourier");
  EXPECT_EQ(footprint({.batch = 1, .width = 4096, .depth = 64}).remedy(), "lower width or depth");
  EXPECT_EQ(footprint({.width = 1024, .samples = 1'000'000}).remedy(),
            "lower samples, width, depth or fourier");
  EXPECT_EQ(footprint({.points = 10'000'000}).remedy(), "lower points or samples");
  EXPECT_EQ(footprint({.descent = {.limit = 1'000'000}, .paths = 10'000}).remedy(),
            "lower paths or limit");
}

TEST(PlaneFootprint, doubles_with_the_precision) {
  const PlaneOptions options = {.batch = 1'000'000};
  EXPECT_EQ(footprint(options, torch::kFloat64).training, 2 * footprint(options).training);
}

}  // namespace
}  // namespace eqm
