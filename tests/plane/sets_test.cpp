#include "eqm/plane/sets.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace eqm::test {
namespace {

constexpr int64_t kCount = 10000;

Tensor points_of(PlaneSet set) {
  return plane_points(set, 1, 0, kCount);
}
Tensor radii(const Tensor& points) {
  return points.norm(2, 1);
}
double share(const Tensor& where) {
  return where.to(torch::kFloat64).mean().item<double>();
}

TEST(PlaneSets, any_window_is_a_slice_of_the_whole) {
  for (const auto& [name, set] : plane_set_names()) {
    const Tensor all = plane_points(set, 5, 0, 100);
    EXPECT_EQ(all.scalar_type(), torch::kFloat64);
    EXPECT_TRUE(torch::equal(plane_points(set, 5, 37, 20), all.narrow(0, 37, 20))) << name;
    EXPECT_EQ(plane_points(set, 5, 3, 0).sizes(), Shape({0, 2}));
  }
}

TEST(PlaneSets, seeds_differ) {
  for (const auto& [name, set] : plane_set_names()) {
    EXPECT_FALSE(torch::equal(plane_points(set, 1, 0, 50), plane_points(set, 2, 0, 50))) << name;
  }
}

TEST(PlaneSets, all_fit_the_square) {
  for (const auto& [name, set] : plane_set_names()) {
    const Tensor points = points_of(set);
    EXPECT_LT(points.abs().max().item<double>(), 1.3) << name;
    EXPECT_GT(points.abs().max().item<double>(), 0.7) << name;  // and fill it
    EXPECT_LT(points.mean(0).abs().max().item<double>(), 0.05) << name;
  }
}

TEST(PlaneSets, two_points_are_two_points) {
  const Tensor points = points_of(PlaneSet::two_points);
  EXPECT_TRUE((points.select(1, 0).abs() == 0.75).all().item<bool>());
  EXPECT_TRUE((points.select(1, 1) == 0).all().item<bool>());
  EXPECT_NEAR(share(points.select(1, 0) > 0), 0.5, 0.03);
}

TEST(PlaneSets, eight_gaussians_have_eight_means_on_the_circle) {
  const Tensor points = points_of(PlaneSet::eight_gaussians);
  for (int k = 0; k < 8; ++k) {
    const double angle = k * std::numbers::pi / 4;
    const Tensor mean = torch::tensor({std::cos(angle), std::sin(angle)}, torch::kFloat64);
    const Tensor near = radii(points - mean) < 0.35;  // neighbours are 0.77 apart
    EXPECT_NEAR(share(near), 0.125, 0.015) << k;
    const Tensor cluster = points.index({near});
    EXPECT_TRUE(close_absolute(cluster.mean(0), mean, 0.01)) << k;
    EXPECT_TRUE(close_absolute(cluster.std(0), torch::full({2}, 0.06, torch::kFloat64), 0.005));
  }
}

TEST(PlaneSets, circles_have_two_radii) {
  const Tensor r = radii(points_of(PlaneSet::circles));
  EXPECT_EQ(share(((r - 1).abs() < 0.15).logical_or((r - 0.5).abs() < 0.15)), 1.0);
  EXPECT_NEAR(share(r > 0.75), 0.5, 0.03);
}

TEST(PlaneSets, checkerboard_squares_alternate) {
  const Tensor points = points_of(PlaneSet::checkerboard);
  const Tensor square = ((points + 1) * 2).floor();  // 4 x 4 squares
  EXPECT_TRUE((square >= 0).logical_and(square <= 3).all().item<bool>());
  const Tensor parity = square.sum(1).remainder(2);
  EXPECT_TRUE((parity == parity[0]).all().item<bool>());
  const auto [cells, inverse, counts] = at::_unique2(
      (square.select(1, 0) * 4 + square.select(1, 1)).to(torch::kInt64), true, false, true);
  EXPECT_EQ(cells.numel(), 8);
  EXPECT_GT(counts.min().item<int64_t>(), kCount / 8 * 85 / 100);
}

TEST(PlaneSets, moons_are_two_half_circles_through_each_other) {
  const Tensor p = points_of(PlaneSet::moons) / 0.75;
  const auto from_arc = [&](double sign) {
    const Tensor q = sign * p;
    const Tensor centre = torch::tensor({-0.5, -0.25}, torch::kFloat64);
    const Tensor off = q - centre;
    return ((radii(off) - 1).abs() < 0.2).logical_and(off.select(1, 1) > -0.2);
  };
  EXPECT_EQ(share(from_arc(1).logical_or(from_arc(-1))), 1.0);
  EXPECT_NEAR(share(from_arc(1)), 0.5, 0.1);
}

TEST(PlaneSets, spirals_have_two_arms_opposite_each_other) {
  const Tensor p = points_of(PlaneSet::spirals);
  // Unwound by its radius a point lies on the arm or opposite to it.
  const Tensor angle =
      torch::atan2(p.select(1, 1), p.select(1, 0)) - 3 * std::numbers::pi * radii(p);
  const Tensor outer = radii(p) > 0.4;
  const Tensor along = (2 * angle).cos().index({outer});
  EXPECT_GT(along.mean().item<double>(), 0.9);
  EXPECT_NEAR(share(angle.cos().index({outer}) > 0), 0.5, 0.05);
}

TEST(PlaneSets, pinwheel_repeats_every_fifth_of_a_turn) {
  const Tensor p = points_of(PlaneSet::pinwheel);
  const Tensor angle = torch::atan2(p.select(1, 1), p.select(1, 0));
  const auto order = [&](int k) {
    return std::hypot((k * angle).cos().mean().item<double>(),
                      (k * angle).sin().mean().item<double>());
  };
  EXPECT_GT(order(5), 0.3);
  for (const int k : {1, 2, 3, 4, 6}) EXPECT_LT(order(k), 0.05) << k;
}

}  // namespace
}  // namespace eqm::test
