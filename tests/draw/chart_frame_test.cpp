#include "eqm/draw/chart_frame.h"

#include <cmath>

#include <gtest/gtest.h>

namespace eqm::draw {
namespace {

constexpr Rect kFrameArea{60, 40, 400, 280};
const std::vector<LegendEntry> kTwo{{"plain LibTorch", kInk, Marker::line},
                                    {"eqm", kInk, Marker::line}};

ChartContent content_of(std::vector<Polyline> lines, std::vector<LegendEntry> entries) {
  ChartContent content;
  content.lines = std::move(lines);
  content.entries = std::move(entries);
  for (const Polyline& line : content.lines) {
    for (const Point& p : line) {
      content.x.include(p.x);
      content.y.include(p.y);
    }
  }
  return content;
}

// Points along the lines, as finely as pixels, that lie under the legend.
int hidden(const ChartFrame& frame, const ChartContent& content) {
  const Rect box = legend_area(frame.legend, frame.entries, {.place = frame.place});
  int count = 0;
  for (const Polyline& line : content.lines) {
    for (std::size_t k = 1; k < line.size(); ++k) {
      for (int step = 0; step <= 500; ++step) {
        const double t = step / 500.0;
        const Point world{std::lerp(line[k - 1].x, line[k].x, t),
                          std::lerp(line[k - 1].y, line[k].y, t)};
        const double x = frame.area.x + frame.x.range.fraction(world.x) * frame.area.width;
        const double y = frame.area.bottom() - frame.y.range.fraction(world.y) * frame.area.height;
        count += x > box.x && x < box.right() && y > box.y && y < box.bottom();
      }
    }
  }
  return count;
}

TEST(ChartFrame, sees_lines_between_their_points) {
  // Two points only, and the line between them crosses the two upper corners.
  const ChartContent content = content_of({{{0, 1}, {1, 1}}, {{0, 0}, {1, 0.3}}}, kTwo);
  const ChartFrame frame = frame_of(kFrameArea, content, {});
  EXPECT_EQ(hidden(frame, content), 0);
  EXPECT_EQ(frame.area.width, kFrameArea.width) << "there was room inside";
}

TEST(ChartFrame, makes_room_above_where_no_corner_is_free) {
  std::vector<Polyline> lines;
  for (int k = 0; k < 12; ++k) lines.push_back({{0, k / 11.0}, {1, k / 11.0}});
  const ChartContent content = content_of(lines, kTwo);
  const ChartFrame frame = frame_of(kFrameArea, content, {});
  EXPECT_EQ(hidden(frame, content), 0);
  EXPECT_GT(frame.y.range.high, 1.1);
}

TEST(ChartFrame, puts_a_high_legend_beside_a_narrower_frame) {
  std::vector<Polyline> lines;
  std::vector<LegendEntry> entries;
  for (int k = 0; k < 40; ++k) {
    lines.push_back({{0, k / 39.0}, {1, k / 39.0}});
    entries.push_back({"line " + std::to_string(k)});
  }
  const ChartContent content = content_of(lines, entries);
  const ChartFrame frame = frame_of(kFrameArea, content, {});
  EXPECT_EQ(hidden(frame, content), 0);
  EXPECT_LT(frame.area.width, kFrameArea.width - 50);
  const Rect box = legend_area(frame.legend, frame.entries, {.place = frame.place});
  EXPECT_GE(box.x, frame.area.right());
  EXPECT_GE(box.y, kFrameArea.y);
  EXPECT_LE(box.right(), kFrameArea.right() + 1);
  EXPECT_LE(box.bottom(), kFrameArea.bottom());
  EXPECT_EQ(frame.entries.back().name,
            "and " + std::to_string(41 - frame.entries.size()) + " more");
}

TEST(ChartFrame, takes_the_place_it_is_given) {
  const ChartContent content = content_of({{{0, 1}, {1, 1}}}, kTwo);
  const ChartFrame frame = frame_of(kFrameArea, content, {.legend = Place::top_left});
  EXPECT_EQ(frame.place, Place::top_left);
}

}  // namespace
}  // namespace eqm::draw
