// The ideal field against its definition, f(x) = E[(ε - x_i) c(γ) | x_γ = x], by brute force over
// γ.
#include "eqm/landscape/ideal_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/tensor/noise_tensor.h"
#include "eqm/tensor/rows.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

using Real = long double;

// Two double evaluations of the integrals agree to about 1e-13; cancellation between points costs
// the rest.
constexpr double kTolerance = 1e-9;

// Points of image scale: uniform in [-1, 1].
Tensor images(uint64_t seed, int64_t count, int64_t d) {
  return torch::erf(normal(seed, count, d) * std::sqrt(0.5));
}

std::vector<Magnitude> families() {
  return {{.kind = MagnitudeKind::constant, .lambda = 1},
          {.kind = MagnitudeKind::linear, .lambda = 2},
          {.kind = MagnitudeKind::truncated},
          {.kind = MagnitudeKind::truncated, .a = 0.0},
          {.kind = MagnitudeKind::truncated, .a = 0.5, .lambda = 1},
          {.kind = MagnitudeKind::piecewise},
          {.kind = MagnitudeKind::piecewise, .a = 0.6, .b = 0.2, .lambda = 3}};
}

// c(γ) as SPEC §1 prints it, with w = 1-γ.
Real c_of(const Magnitude& m, Real w) {
  const Real gamma = 1 - w;
  switch (m.kind) {
    case MagnitudeKind::constant:
      return m.lambda;
    case MagnitudeKind::linear:
      return m.lambda * w;
    case MagnitudeKind::truncated:
      return m.lambda * (gamma <= m.a ? 1 : w / (1 - m.a));
    case MagnitudeKind::piecewise:
      return m.lambda * (gamma <= m.a ? m.b - (m.b - 1) * gamma / m.a : w / (1 - m.a));
  }
  return 0;
}

struct Node {
  Real w, weight;
};

// Five-point Gauss panels over w = 1-γ in (0, 1], graded to w = 0 by halves and cut at the kink of
// c.
// Below `smallest` there is nothing to integrate.
std::vector<Node> nodes_over_gamma(Real kink, Real smallest, int panels_per_half) {
  const Real inner = std::sqrt(5 - 2 * std::sqrt(Real(10) / 7)) / 3;
  const Real outer = std::sqrt(5 + 2 * std::sqrt(Real(10) / 7)) / 3;
  const Real heavy = (322 + 13 * std::sqrt(Real(70))) / 900;
  const Real light = (322 - 13 * std::sqrt(Real(70))) / 900;
  const std::vector<Node> rule = {
      {0, Real(128) / 225}, {inner, heavy}, {-inner, heavy}, {outer, light}, {-outer, light}};
  std::vector<Node> nodes;
  const auto add = [&](Real low, Real high) {
    for (int i = 0; i < panels_per_half; ++i) {
      const Real half = (high - low) / panels_per_half / 2;
      const Real middle = low + (2 * i + 1) * half;
      for (const Node& node : rule) nodes.push_back({middle + half * node.w, half * node.weight});
    }
  };
  if (kink < 1) add(kink, 1);
  for (Real high = kink; high > smallest; high /= 2) add(high / 2, high);
  return nodes;
}

// One row, by the definition: density of x given (i, γ) is (1-γ)^-d exp(-‖x - γ x_i‖² / 2(1-γ)²).
Tensor brute_force_row(const Tensor& x, const Tensor& points, const Magnitude& m, int panels) {
  const int64_t n = points.size(0), d = points.size(1);
  std::vector<std::array<Real, 3>> squares;  // ‖r‖², r·x_i, ‖x_i‖²; x - γ x_i = r + w x_i
  Real nearest = std::numeric_limits<Real>::infinity();
  const auto states = x.accessor<double, 1>();
  const auto places = points.accessor<double, 2>();
  for (int64_t i = 0; i < n; ++i) {
    Real rr = 0, rp = 0, pp = 0;
    for (int64_t j = 0; j < d; ++j) {
      const Real p = places[i][j];
      const Real r = Real(states[j]) - p;
      rr += r * r;
      rp += r * p;
      pp += p * p;
    }
    squares.push_back({rr, rp, pp});
    nearest = std::min(nearest, std::sqrt(rr));
  }
  const bool kinked = m.kind == MagnitudeKind::truncated || m.kind == MagnitudeKind::piecewise;
  // The density of one point peaks near w = ‖r‖/√d and is below e^-30 of that at a sixteenth of it.
  const std::vector<Node> nodes = nodes_over_gamma(kinked ? Real(1) - Real(m.a) : Real(1),
                                                   nearest / std::sqrt(Real(d)) / 16, panels);
  std::vector<std::vector<Real>> logs;
  Real highest = -std::numeric_limits<Real>::infinity();
  for (const auto& [rr, rp, pp] : squares) {
    std::vector<Real> row;
    for (const Node& node : nodes) {
      const Real square = rr + 2 * node.w * rp + node.w * node.w * pp;
      row.push_back(-Real(d) * std::log(node.w) - square / (2 * node.w * node.w));
      highest = std::max(highest, row.back());
    }
    logs.push_back(std::move(row));
  }
  Real total = 0;
  std::vector<Real> pulls;
  for (const auto& row : logs) {
    Real pull = 0;
    for (size_t k = 0; k < nodes.size(); ++k) {
      const Real mass = nodes[k].weight * std::exp(row[k] - highest);
      total += mass;
      pull += mass * c_of(m, nodes[k].w) / nodes[k].w;
    }
    pulls.push_back(pull);
  }
  const Tensor f = torch::zeros({d}, torch::kFloat64);
  for (int64_t j = 0; j < d; ++j) {
    Real sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += pulls[static_cast<size_t>(i)] * (Real(states[j]) - Real(places[i][j]));
    }
    f[j] = static_cast<double>(sum / total);
  }
  return f;
}

Tensor brute_force(const Tensor& x, const Tensor& points, const Magnitude& m, int panels = 24) {
  std::vector<Tensor> rows;
  for (int64_t b = 0; b < x.size(0); ++b) rows.push_back(brute_force_row(x[b], points, m, panels));
  return torch::stack(rows);
}

// Row by row, relative to the row's norm: small rows count as much as large ones.
void expect_rows_close(const Tensor& actual, const Tensor& expected, double limit) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  for (int64_t b = 0; b < actual.size(0); ++b) {
    EXPECT_TRUE(close(actual[b], expected[b], limit)) << "row " << b;
  }
}

Tensor ideal(const Tensor& x, const Tensor& points, const Magnitude& m) {
  return IdealField(points, m).gradient(x, {});
}

TEST(IdealField, equals_brute_force_integration_in_low_dimension) {
  for (const int64_t d : {1, 2, 3, 5}) {
    const Tensor points = normal(11, 4, d) * 0.8;
    const Tensor x = normal(12, 6, d);
    for (const Magnitude& m : families()) {
      SCOPED_TRACE(::testing::Message() << "d " << d << " kind " << int(m.kind) << " a " << m.a);
      expect_rows_close(ideal(x, points, m), brute_force(x, points, m), kTolerance);
    }
  }
}

TEST(IdealField, equals_brute_force_very_near_a_data_point) {
  for (const int64_t d : {1, 2, 3, 16}) {
    const Tensor points = normal(21, 3, d);
    for (const double distance : {1e-1, 1e-3, 1e-6, 1e-10}) {
      const Tensor x = points[1].unsqueeze(0) + distance * normal(22, 2, d);
      for (const Magnitude& m : families()) {
        SCOPED_TRACE(::testing::Message()
                     << "d " << d << " distance " << distance << " kind " << int(m.kind));
        expect_rows_close(ideal(x, points, m), brute_force(x, points, m), kTolerance);
      }
    }
  }
}

TEST(IdealField, is_finite_and_continuous_down_to_the_smallest_distances) {
  // The flow's field keeps its length λ·E‖ε - x_i‖ up to the point itself; all others shrink with
  // it.
  const Tensor points = torch::zeros({1, 3}, torch::kFloat64);
  const Magnitude flow = {.kind = MagnitudeKind::constant, .lambda = 1};
  const Tensor direction = torch::tensor({{0.6, 0.0, 0.8}}, torch::kFloat64);
  const double length = row_norms(ideal(1e-6 * direction, points, flow))[0].item<double>();
  for (const double distance : {1e-12, 1e-16, 1e-20, 1e-60, 1e-140}) {
    const Tensor x = distance * direction;
    EXPECT_NEAR(row_norms(ideal(x, points, flow))[0].item<double>(), length, 1e-5 * length);
    EXPECT_TRUE(close(ideal(x, points, {}), x * 20, 1e-5)) << distance;
  }
}

TEST(IdealField, is_zero_exactly_on_a_data_point) {
  for (const Magnitude& m : families()) {
    const Tensor points = images(23, 5, 7);
    EXPECT_EQ(ideal(points, points, m).abs().max().item<double>(), 0);
  }
}

TEST(IdealField, equals_brute_force_far_away) {
  for (const int64_t d : {1, 2, 8}) {
    const Tensor points = normal(31, 3, d);
    for (const double distance : {1e1, 1e2, 1e4, 1e6}) {
      const Tensor direction = normal(32, 2, d);
      const Tensor x = direction / row_norms(direction).unsqueeze(1) * distance;
      for (const Magnitude& m : families()) {
        SCOPED_TRACE(::testing::Message()
                     << "d " << d << " distance " << distance << " kind " << int(m.kind));
        // Far out the posterior sits at γ = 0 within 1/‖x‖², narrower than any graded panel: a
        // closed form takes over. There w ≈ 1, f ≈ x - (the mean of the points weighted by e^{-w'
        // x·x_i}).
        if (distance <= 1e1) {
          expect_rows_close(ideal(x, points, m), brute_force(x, points, m, 400), kTolerance);
        } else {
          const Tensor mass = 1 / torch::sum(x.unsqueeze(1) * (x.unsqueeze(1) - points), 2);
          const Tensor mean = torch::matmul(mass / mass.sum(1, true), points);
          expect_rows_close(ideal(x, points, m), (x - mean) * m(0.0), 100 / distance / distance);
        }
      }
    }
  }
}

TEST(IdealField, equals_brute_force_at_image_scale) {
  constexpr int64_t d = 3072;
  const Tensor points = images(41, 3, d);
  const Tensor noise = normal(42, 1, d);
  std::vector<Tensor> states;
  for (const double gamma : {0.0, 0.3, 0.79, 0.8, 0.95, 0.999}) {
    states.push_back(gamma * points[0].unsqueeze(0) + (1 - gamma) * noise);
  }
  states.push_back(points.mean(0, true));          // between all points
  states.push_back(torch::zeros_like(noise));      // blank
  states.push_back(0.7 * points[2].unsqueeze(0));  // no noise at all, yet not a data point
  const Tensor x = torch::cat(states);
  for (const Magnitude& m : {Magnitude{}, Magnitude{.kind = MagnitudeKind::linear}}) {
    const Tensor f = ideal(x, points, m);
    ASSERT_TRUE(f.isfinite().all().item<bool>());
    expect_rows_close(f, brute_force(x, points, m, 640), kTolerance);
  }
}

TEST(IdealField, equals_brute_force_with_many_points) {
  const Tensor points = normal(51, 200, 2);
  const Tensor x = normal(52, 3, 2);
  for (const Magnitude& m : families()) {
    expect_rows_close(ideal(x, points, m), brute_force(x, points, m, 48), kTolerance);
  }
}

TEST(IdealField, duplicated_points_weigh_twice) {
  const Tensor points = normal(61, 3, 2);
  const Tensor x = normal(62, 4, 2);
  const Tensor all_twice = torch::cat({points, points});
  EXPECT_TRUE(close(ideal(x, all_twice, {}), ideal(x, points, {}), 1e-12));
  const Tensor first_twice = torch::cat({points, points.narrow(0, 0, 1)});
  const Tensor f = ideal(x, first_twice, {});
  expect_rows_close(f, brute_force(x, first_twice, {}), kTolerance);
  EXPECT_FALSE(close(f, ideal(x, points, {}), 1e-3));
}

TEST(IdealField, one_point_at_the_origin_is_radial) {
  const Tensor points = torch::zeros({1, 5}, torch::kFloat64);
  const Tensor x = normal(71, 20, 5);
  for (const Magnitude& m : families()) {
    const Tensor f = ideal(x, points, m);
    const Tensor factor = (f * x).sum(1) / x.square().sum(1);
    EXPECT_TRUE(close(f, factor.unsqueeze(1) * x, 1e-14));
    EXPECT_GT(factor.min().item<double>(), 0);  // uphill is outwards
  }
}

TEST(IdealField, turns_with_the_data) {
  const Tensor points = normal(81, 5, 6);
  const Tensor x = normal(82, 4, 6);
  const Tensor rotation = std::get<0>(torch::linalg_qr(normal(83, 6, 6)));
  EXPECT_TRUE(close(ideal(x.matmul(rotation), points.matmul(rotation), {}),
                    ideal(x, points, {}).matmul(rotation), 1e-12));
}

TEST(IdealField, does_not_depend_on_the_order_of_points_or_rows) {
  const Tensor points = normal(91, 6, 4);
  const Tensor x = normal(92, 5, 4);
  EXPECT_TRUE(close(ideal(x, points.flip(0), {}), ideal(x, points, {}), 1e-13));
  EXPECT_TRUE(torch::equal(ideal(x.flip(0), points, {}), ideal(x, points, {}).flip(0)));
}

TEST(IdealField, keeps_the_shape_and_precision_of_the_state) {
  const Tensor points = images(93, 3, 2 * 4 * 4).reshape({3, 2, 4, 4});
  const Tensor x = normal(94, 2, 2 * 4 * 4).reshape({2, 2, 4, 4});
  const IdealField field(points.to(torch::kFloat32), {});
  const Tensor narrow = field.gradient(x.to(torch::kFloat32), {});
  EXPECT_EQ(narrow.sizes(), x.sizes());
  EXPECT_EQ(narrow.scalar_type(), torch::kFloat32);
  EXPECT_TRUE(close(narrow, field.gradient(x, {}), 1e-5));
  const Tensor strided = x.transpose(2, 3).contiguous().transpose(2, 3);
  EXPECT_TRUE(torch::equal(field.gradient(strided, {}), field.gradient(x, {})));
  EXPECT_EQ(field.gradient(x.narrow(0, 0, 0), {}).size(0), 0);
}

TEST(IdealField, refuses_no_points_and_other_dimensions) {
  const auto none = torch::zeros({0, 2}, torch::kFloat64);
  expect_error(ErrorKind::usage, "at least one", [&] { IdealField(none, {}); });
  const IdealField field(normal(95, 2, 3), {});
  expect_error(ErrorKind::usage, "dimension", [&] { field.gradient(normal(96, 2, 4), {}); });
  expect_error(ErrorKind::usage, "lambda", [&] { IdealField(normal(95, 2, 3), {.lambda = -1}); });
  EXPECT_FALSE(field.has_energy());
}

}  // namespace
}  // namespace eqm::test
