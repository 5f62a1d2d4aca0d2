#include "eqm/measure/sliced_wasserstein.h"

#include <numbers>

#include <gtest/gtest.h>

#include "eqm/tensor/noise_tensor.h"
#include "tests/support/expect_error.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

TEST(SlicedWasserstein, is_zero_for_equal_sets_in_any_order) {
  for (const int64_t d : {1, 2, 5}) {
    const Tensor a = normal(1, 40, d);
    EXPECT_EQ(sliced_wasserstein(a, a), 0);
    EXPECT_NEAR(sliced_wasserstein(a, a.flip(0)), 0, 1e-14);
    EXPECT_GT(sliced_wasserstein(a, normal(2, 40, d)), 0.05);
  }
}

TEST(SlicedWasserstein, of_a_translation_in_the_plane_is_its_mean_projection) {
  // The mean of |t·θ| over the circle is 2|t|/π.
  const Tensor a = normal(3, 30, 2);
  const Tensor t = torch::tensor({3.0, -4.0}, torch::kFloat64);
  EXPECT_NEAR(sliced_wasserstein(a, a + t, 4096), 5 * 2 / std::numbers::pi, 1e-5);
  EXPECT_NEAR(sliced_wasserstein(a, a + t), 5 * 2 / std::numbers::pi, 2e-3);
}

TEST(SlicedWasserstein, of_a_translation_in_space_is_its_mean_projection) {
  // In three dimensions the mean of |t·θ| over the sphere is |t|/2.
  const Tensor a = normal(4, 20, 3);
  const Tensor t = torch::tensor({1.0, 2.0, -1.0}, torch::kFloat64);
  const double expected = t.norm().item<double>() / 2;
  EXPECT_NEAR(sliced_wasserstein(a, a + t, 20000), expected, 0.03 * expected);
}

TEST(SlicedWasserstein, is_symmetric_and_scales_with_the_points) {
  for (const int64_t d : {2, 3}) {
    const Tensor a = normal(5, 25, d), b = 0.5 * normal(6, 33, d) + 1;
    const double distance = sliced_wasserstein(a, b);
    EXPECT_NEAR(sliced_wasserstein(b, a), distance, 1e-14);
    EXPECT_NEAR(sliced_wasserstein(3 * a, 3 * b), 3 * distance, 1e-12);
    EXPECT_NEAR(sliced_wasserstein(a + 7, b + 7), distance, 1e-12);
  }
}

TEST(SlicedWasserstein, on_the_line_is_the_distance_of_sorted_points) {
  const Tensor a = torch::tensor({{3.0}, {0.0}, {1.0}}, torch::kFloat64);
  const Tensor b = torch::tensor({{2.0}, {5.0}, {0.0}}, torch::kFloat64);
  // 0-0, 1-2, 3-5
  EXPECT_NEAR(sliced_wasserstein(a, b), (0.0 + 1.0 + 2.0) / 3, 1e-14);
}

TEST(SlicedWasserstein, compares_sets_of_different_size_by_quantiles) {
  const Tensor a = normal(7, 50, 2);
  EXPECT_NEAR(sliced_wasserstein(a, torch::cat({a, a})), 0, 1e-14);
  const Tensor one = torch::zeros({1, 1}, torch::kFloat64);
  const Tensor two = torch::tensor({{-1.0}, {1.0}}, torch::kFloat64);
  EXPECT_NEAR(sliced_wasserstein(one, two), 1, 1e-14);
  const double large = sliced_wasserstein(normal(8, 4000, 2), normal(9, 3000, 2));
  EXPECT_LT(large, 0.08);
  EXPECT_GT(sliced_wasserstein(normal(8, 4000, 2), 2 * normal(9, 3000, 2)), 0.6);
}

TEST(SlicedWasserstein, takes_any_precision) {
  const Tensor a = normal(10, 9, 2), b = normal(11, 9, 2);
  EXPECT_NEAR(sliced_wasserstein(a.to(torch::kFloat32), b), sliced_wasserstein(a, b), 1e-6);
}

TEST(SlicedWasserstein, refuses_what_cannot_be_compared) {
  const Tensor a = normal(12, 3, 2);
  expect_error(ErrorKind::usage, "dimension", [&] { sliced_wasserstein(a, normal(13, 3, 3)); });
  expect_error(ErrorKind::usage, "non-empty", [&] { sliced_wasserstein(a, a.narrow(0, 0, 0)); });
  expect_error(ErrorKind::usage, "sets of points", [&] { sliced_wasserstein(a, a[0]); });
  expect_error(ErrorKind::usage, "direction", [&] { sliced_wasserstein(a, a, 0); });
}

}  // namespace
}  // namespace eqm::test
