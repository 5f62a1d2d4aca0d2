#include "eqm/descend/energy_path.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

// E = 10 (r² - 1)² + sin² θ: wells at (±1, 0), joined by two half circles over passes of height 1.
class RingWithWells final : public Field {
 public:
  Tensor gradient(const Tensor& point, const Condition&) const override {
    const Tensor x = point.select(1, 0), y = point.select(1, 1);
    const Tensor square = x * x + y * y;
    const Tensor turn = 2 * x * y / square.square();
    return torch::stack({40 * x * (square - 1) - turn * y, 40 * y * (square - 1) + turn * x}, 1);
  }
  bool has_energy() const override { return true; }
  GradientAndEnergy gradient_and_energy(const Tensor& point,
                                        const Condition& condition) const override {
    const Tensor x = point.select(1, 0), y = point.select(1, 1);
    const Tensor square = x * x + y * y;
    return {.gradient = gradient(point, condition),
            .energy = 10 * (square - 1).square() + y * y / square};
  }
};

const State kLeft = {-1, 0}, kRight = {1, 0};

EnergyPath relaxed(size_t points, const EnergyPathOptions& options) {
  return minimum_energy_path(RingWithWells(), {2}, torch::kFloat64,
                             spread_evenly({kLeft, {0.1, 0.4}, kRight}, points),
                             std::vector<Terms>(points), options);
}

TEST(EnergyPath, leads_over_the_lowest_pass) {
  const EnergyPath path = relaxed(21, {.eta = 0.01, .steps = 5000, .rest = 1e-7});
  EXPECT_TRUE(path.rests);
  EXPECT_NEAR(path.points[10][0], 0, 1e-2);
  EXPECT_NEAR(path.points[10][1], 1, 1e-2);
  EXPECT_NEAR(path.energies[10], 1, 1e-2) << "the height of the pass";
  for (size_t i = 0; i < 21; ++i) {
    EXPECT_NEAR(norm(path.points[i]), 1, 0.01) << i;
    EXPECT_LT(path.energies[i], 1.01) << i;
  }
  EXPECT_EQ(norm(path.points.front() - kLeft), 0);
  EXPECT_EQ(norm(path.points.back() - kRight), 0);
}

TEST(EnergyPath, keeps_its_points_at_equal_distances) {
  const EnergyPath path = relaxed(9, {.eta = 0.01, .steps = 200, .rest = 0});
  const double first = norm(path.points[1] - path.points[0]);
  for (size_t i = 1; i < 9; ++i) {
    EXPECT_NEAR(norm(path.points[i] - path.points[i - 1]), first, 0.05 * first) << i;
  }
}

TEST(EnergyPath, ends_when_it_is_told_to) {
  const EnergyPath path = relaxed(
      5, {.eta = 0.01, .steps = 100, .rest = 0, .go_on = [](int64_t step) { return step < 7; }});
  EXPECT_EQ(path.steps, 7);
  EXPECT_FALSE(path.rests);
}

TEST(EnergyPath, refuses_paths_without_inner_points_and_steps_that_fly_away) {
  expect_error(ErrorKind::usage, "three points", [] { relaxed(2, {}); });
  expect_error(ErrorKind::numeric, "left the numbers",
               [] { relaxed(5, {.eta = 1e6, .steps = 200}); });
}

TEST(Slerp, goes_along_the_arc) {
  const State x = {2, 0}, y = {0, 2};
  const double half = std::numbers::sqrt2;
  EXPECT_LT(norm(slerp(x, y, 0.5) - State{half, half}), 1e-12);
  EXPECT_LT(norm(slerp(x, y, 0) - x) + norm(slerp(x, y, 1) - y), 1e-12);
  EXPECT_NEAR(norm(slerp(x, State{0, 4}, 0.25)), 2.5, 1e-12) << "lengths go evenly";
  EXPECT_LT(norm(slerp(x, 3.0 * x, 0.5) - 2.0 * x), 1e-12) << "straight where parallel";
}

TEST(SpreadEvenly, follows_the_pieces) {
  const std::vector<State> bent = {{0, 0}, {1, 0}, {1, 3}};
  const std::vector<State> even = spread_evenly(bent, 5);
  ASSERT_EQ(even.size(), 5U);
  EXPECT_LT(norm(even[1] - State{1, 0}), 1e-12);
  EXPECT_LT(norm(even[3] - State{1, 2}), 1e-12);
}

}  // namespace
}  // namespace eqm::test
