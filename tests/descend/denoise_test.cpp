#include "eqm/descend/denoise.h"

#include <cmath>

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

TEST(Denoise, noise_takes_the_place_of_what_gamma_leaves) {
  const State x(3.0, 4000);
  EXPECT_EQ(norm(noised(x, 1, 7, 0) - x), 0);
  const State half = noised(x, 0.5, 7, 0);
  EXPECT_NEAR(half.sum() / 4000, 1.5, 0.05);
  const State rest = half - 1.5;
  EXPECT_NEAR(std::sqrt(dot(rest, rest) / 4000), 0.5, 0.02);
}

TEST(Denoise, noise_is_that_of_the_sample) {
  const State x(0.0, 8);
  EXPECT_EQ(norm(noised(x, 0.2, 7, 3) - noised(x, 0.2, 7, 3)), 0);
  EXPECT_GT(norm(noised(x, 0.2, 7, 3) - noised(x, 0.2, 7, 4)), 0.1);
  EXPECT_GT(norm(noised(x, 0.2, 7, 3) - noised(x, 0.2, 8, 3)), 0.1);
}

TEST(Denoise, psnr_is_in_decibels) {
  const State clean = {0, 0, 0, 0}, off = {0.2, -0.2, 0.2, -0.2};
  EXPECT_NEAR(psnr(off, clean, 2), 20, 1e-12);
  EXPECT_TRUE(std::isinf(psnr(clean, clean, 2)));
}

}  // namespace
}  // namespace eqm::test
