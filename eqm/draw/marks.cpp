#include "eqm/draw/marks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace eqm::draw {
namespace {

// A little fatter than the pentagram's 0.382, which looks thin at marker sizes.
constexpr double kStarInnerRadius = 0.45;

constexpr double kShortestArrow = 0.3;     // pixels
constexpr double kHeadShareAtMost = 0.55;  // of the arrow's length
constexpr double kHeadAspect = 0.42;       // half width over length

}  // namespace

Polyline star_outline(Point centre, double radius) {
  Polyline outline;
  for (int k = 0; k < 10; ++k) {
    const double angle = std::numbers::pi * (k / 5.0 - 0.5);
    const double r = k % 2 == 0 ? radius : radius * kStarInnerRadius;
    outline.push_back({centre.x + r * std::cos(angle), centre.y + r * std::sin(angle)});
  }
  return outline;
}

Polyline arrow_outline(Point tail, Point tip, const ArrowStyle& style) {
  const double length = std::hypot(tip.x - tail.x, tip.y - tail.y);
  if (!std::isfinite(length) || length < kShortestArrow) return {};
  const double ux = (tip.x - tail.x) / length;
  const double uy = (tip.y - tail.y) / length;
  const double head = std::min(style.head, kHeadShareAtMost * length);
  const double half_head = kHeadAspect * head;
  const double half_shaft = std::min(style.width / 2, 0.6 * half_head);
  const auto along = [&](double forward, double aside) {
    return Point{tail.x + forward * ux - aside * uy, tail.y + forward * uy + aside * ux};
  };
  const double neck = length - head;
  return {along(0, half_shaft),    along(neck, half_shaft),  along(neck, half_head), tip,
          along(neck, -half_head), along(neck, -half_shaft), along(0, -half_shaft)};
}

}  // namespace eqm::draw
