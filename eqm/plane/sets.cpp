#include "eqm/plane/sets.h"

#include <array>
#include <cmath>
#include <numbers>

#include "eqm/base/draws.h"
#include "eqm/base/noise.h"

namespace eqm {
namespace {

constexpr double kPi = std::numbers::pi;
// Keeps the points apart from every other use of the same seed.

struct PlanePoint {
  double x, y;
};

// The randomness of one point: two uniforms choose the place, two normals blur it.
struct PointDraw {
  double u, v, a, b;
};

PlanePoint rotated(PlanePoint p, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * p.x - s * p.y, s * p.x + c * p.y};
}

PlanePoint two_points(const PointDraw& draw) {
  return {draw.u < 0.5 ? -0.75 : 0.75, 0.0};
}

PlanePoint eight_gaussians(const PointDraw& draw) {
  const double angle = std::floor(draw.u * 8) * kPi / 4;
  return {std::cos(angle) + 0.06 * draw.a, std::sin(angle) + 0.06 * draw.b};
}

PlanePoint moons(const PointDraw& draw) {
  const double angle = kPi * draw.v;
  const PlanePoint upper = {std::cos(angle) - 0.5, std::sin(angle) - 0.25};
  const PlanePoint p = draw.u < 0.5 ? upper : PlanePoint{-upper.x, -upper.y};
  return {0.75 * p.x + 0.03 * draw.a, 0.75 * p.y + 0.03 * draw.b};
}

PlanePoint circles(const PointDraw& draw) {
  const double angle = 2 * kPi * draw.v;
  const double radius = draw.u < 0.5 ? 1.0 : 0.5;
  return {radius * std::cos(angle) + 0.025 * draw.a, radius * std::sin(angle) + 0.025 * draw.b};
}

PlanePoint spirals(const PointDraw& draw) {
  const double turn = 3 * kPi * std::sqrt(draw.v);  // even along the arm
  const double radius = turn / (3 * kPi);
  const PlanePoint arm = {radius * std::cos(turn), radius * std::sin(turn)};
  const PlanePoint p = draw.u < 0.5 ? arm : PlanePoint{-arm.x, -arm.y};
  return {p.x + 0.02 * draw.a, p.y + 0.02 * draw.b};
}

PlanePoint pinwheel(const PointDraw& draw) {
  const double blade = std::floor(draw.u * 5);
  const PlanePoint straight = {0.65 + 0.15 * draw.a, 0.05 * draw.b};
  return rotated(straight, blade * 2 * kPi / 5 + 1.2 * std::exp(-straight.x) * 1.2);
}

PlanePoint checkerboard(const PointDraw& draw) {
  const double x = 4 * draw.u, y = 2 * draw.v;  // the column; two of its four squares
  const double column = std::floor(x), square = std::floor(y);
  return {(x - 2) / 2, (2 * square + std::fmod(column, 2) + (y - square) - 2) / 2};
}

PlanePoint place(PlaneSet set, const PointDraw& draw) {
  switch (set) {
    case PlaneSet::two_points:
      return two_points(draw);
    case PlaneSet::eight_gaussians:
      return eight_gaussians(draw);
    case PlaneSet::moons:
      return moons(draw);
    case PlaneSet::circles:
      return circles(draw);
    case PlaneSet::spirals:
      return spirals(draw);
    case PlaneSet::pinwheel:
      return pinwheel(draw);
    case PlaneSet::checkerboard:
      return checkerboard(draw);
  }
  return {};
}

}  // namespace

const Names<PlaneSet>& plane_set_names() {
  static const Names<PlaneSet> names = {{"two-points", PlaneSet::two_points},
                                        {"eight-gaussians", PlaneSet::eight_gaussians},
                                        {"moons", PlaneSet::moons},
                                        {"circles", PlaneSet::circles},
                                        {"spirals", PlaneSet::spirals},
                                        {"pinwheel", PlaneSet::pinwheel},
                                        {"checkerboard", PlaneSet::checkerboard}};
  return names;
}

Tensor plane_points(PlaneSet set, uint64_t seed, int64_t first, int64_t count) {
  const Tensor points = torch::empty({count, 2}, torch::kFloat64);
  double* out = points.data_ptr<double>();
  for (int64_t i = 0; i < count; ++i) {
    const auto sample = static_cast<uint64_t>(first + i);
    std::array<double, 2> where, blur;
    fill_uniform({.seed = seed, .sample = sample, .draw = draw_points}, where);
    fill_normal({.seed = seed, .sample = sample, .draw = draw_jitter}, blur);
    const PlanePoint p = place(set, {where[0], where[1], blur[0], blur[1]});
    out[2 * i] = p.x;
    out[2 * i + 1] = p.y;
  }
  return points;
}

}  // namespace eqm
