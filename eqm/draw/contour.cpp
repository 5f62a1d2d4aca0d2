#include "eqm/draw/contour.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace eqm::draw {
namespace {

constexpr int kNone = -1;

// A crossing is named by its grid edge: 2 * node for the edge to the right of a node, 2 * node + 1
// for the edge above it. An edge belongs to at most two cells and carries one crossing, so each has
// at most two links.
class Tracer {
 public:
  Tracer(const Grid& grid, double level)
      : grid_(grid), level_(level), links_(2 * grid.values.size(), {kNone, kNone}) {}

  std::vector<Polyline> trace() {
    for (int j = 0; j + 1 < grid_.ny; ++j) {
      for (int i = 0; i + 1 < grid_.nx; ++i) link_cell(i, j);
    }
    std::vector<Polyline> lines;
    // Open lines first, from their ends; what is left then are loops.
    for (const int most_links : {1, 2}) {
      for (std::size_t edge = 0; edge < links_.size(); ++edge) {
        const int links = (links_[edge][0] != kNone) + (links_[edge][1] != kNone);
        if (links > 0 && links <= most_links) lines.push_back(follow(static_cast<int>(edge)));
      }
    }
    return lines;
  }

 private:
  int node_index(int i, int j) const { return j * grid_.nx + i; }

  void link_cell(int i, int j) {
    // Counter-clockwise from the bottom left; side k joins corner k and corner k + 1.
    const std::array<double, 4> corners{grid_.at(i, j), grid_.at(i + 1, j), grid_.at(i + 1, j + 1),
                                        grid_.at(i, j + 1)};
    if (!std::all_of(corners.begin(), corners.end(), [](double v) { return std::isfinite(v); }))
      return;
    const std::array<int, 4> sides{2 * node_index(i, j), 2 * node_index(i + 1, j) + 1,
                                   2 * node_index(i, j + 1), 2 * node_index(i, j) + 1};
    std::array<int, 4> crossed{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      if (above(corners[k]) != above(corners[(k + 1) % 4])) crossed[count++] = sides[k];
    }
    if (count == 2) link(crossed[0], crossed[1]);
    if (count == 4) {
      const double mean = corners[0] / 4 + corners[1] / 4 + corners[2] / 4 + corners[3] / 4;
      // If corner 0 and the middle are on one side, the lines cut off corners 1 and 3, else 0
      // and 2.
      const bool joined = above(mean) == above(corners[0]);
      link(crossed[0], joined ? crossed[1] : crossed[3]);
      link(crossed[2], joined ? crossed[3] : crossed[1]);
    }
  }

  bool above(double value) const { return value >= level_; }

  void link(int a, int b) {
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      auto& links = links_[static_cast<std::size_t>(from)];
      links[links[0] == kNone ? 0 : 1] = to;
    }
  }

  Polyline follow(int start) {
    Polyline line{crossing(start)};
    for (int edge = start;;) {
      auto& links = links_[static_cast<std::size_t>(edge)];
      const int next = links[0] != kNone ? links[0] : links[1];
      if (next == kNone) return line;
      unlink(edge, next);
      unlink(next, edge);
      line.push_back(crossing(next));
      edge = next;
    }
  }

  void unlink(int from, int to) {
    auto& links = links_[static_cast<std::size_t>(from)];
    links[links[0] == to ? 0 : 1] = kNone;
  }

  Point crossing(int edge) const {
    const int i = edge / 2 % grid_.nx;
    const int j = edge / 2 / grid_.nx;
    const bool upwards = edge % 2 == 1;
    const int i2 = upwards ? i : i + 1;
    const int j2 = upwards ? j + 1 : j;
    const double a = grid_.at(i, j);
    const double b = grid_.at(i2, j2);
    const double u =
        (level_ / 2 - a / 2) / (b / 2 - a / 2);  // halved: the difference cannot overflow
    const Point p = grid_.node(i, j);
    const Point q = grid_.node(i2, j2);
    return {std::lerp(p.x, q.x, u), std::lerp(p.y, q.y, u)};
  }

  const Grid& grid_;
  double level_;
  std::vector<std::array<int, 2>> links_;
};

}  // namespace

std::vector<Polyline> contour_lines(const Grid& grid, double level) {
  check(grid);
  if (grid.nx < 2 || grid.ny < 2 || !std::isfinite(level)) return {};
  return Tracer(grid, level).trace();
}

std::vector<double> even_levels(const Grid& grid, int count) {
  const Range range = range_of(grid.values);
  std::vector<double> levels;
  if (!(range.width() > 0)) return levels;
  for (int k = 1; k <= count; ++k)
    levels.push_back(std::lerp(range.low, range.high, double(k) / (count + 1)));
  return levels;
}

}  // namespace eqm::draw
