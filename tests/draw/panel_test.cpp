#include "eqm/draw/panel.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "eqm/base/error.h"
#include "tests/support/not_numbers.h"

namespace eqm::draw {
namespace {

constexpr Colour kRed{1, 0, 0, 1};
constexpr Rect kPanelArea{10, 10, 80, 80};

// The smallest rectangle of whole pixels around everything that is not white; width 0 if all is.
Rect marked(const Canvas& canvas) {
  const Pixels pixels = canvas.to_pixels();
  Range x;
  Range y;
  for (int row = 0; row < pixels.height; ++row) {
    for (int column = 0; column < pixels.width; ++column) {
      const auto at = static_cast<std::size_t>(3 * (row * pixels.width + column));
      if (pixels.rgb[at] == 255 && pixels.rgb[at + 1] == 255 && pixels.rgb[at + 2] == 255) continue;
      x.include(column);
      y.include(row);
    }
  }
  if (x.width() < 0) return {};
  return {x.low, y.low, x.width() + 1, y.width() + 1};
}

TEST(Panel, maps_world_corners_to_its_rectangle_with_y_up) {
  Canvas canvas(100, 100);
  const Panel panel(canvas, kPanelArea, {-1, 1}, {0, 2});
  EXPECT_EQ(panel.to_canvas({-1, 0}), (Point{panel.area().x, panel.area().bottom()}));
  EXPECT_EQ(panel.to_canvas({1, 2}), (Point{panel.area().right(), panel.area().y}));
}

TEST(Panel, equal_aspect_widens_the_range_with_room_to_spare) {
  Canvas canvas(200, 100);
  const Panel equal(canvas, {10, 10, 160, 80}, {-1, 1}, {-1, 1});
  EXPECT_DOUBLE_EQ(equal.x().low, -2);
  EXPECT_DOUBLE_EQ(equal.y().high, 1);
  const Panel free(canvas, {10, 10, 160, 80}, {-1, 1}, {-1, 1}, {.aspect = Aspect::free});
  EXPECT_DOUBLE_EQ(free.x().low, -1);
}

TEST(Panel, draws_only_inside_its_rectangle) {
  Canvas canvas(100, 100);
  Panel panel(canvas, kPanelArea, {-1, 1}, {-1, 1});
  const Point far_path[] = {{-50, 0}, {0, 0}, {1e9, 1e9}};
  const Point on_edge[] = {{1, 1}, {-1, -1}, {30, 30}};
  const Grid grid = sample_grid(5, 5, {-9, 9}, {-9, 9}, [](Point p) { return p.x; });
  panel.heat_map(grid, vivid_map(), {-9, 9});
  panel.contours(grid, std::vector<double>{0.5, 8}, {});
  panel.path(far_path, {});
  panel.points(on_edge, 20, kRed);
  panel.stars(on_edge, 20, kRed);
  panel.arrows(on_edge, on_edge, {.reach = 5});
  const Rect seen = marked(canvas);
  EXPECT_GE(seen.x, 10);
  EXPECT_GE(seen.y, 10);
  EXPECT_LE(seen.right(), 91);
  EXPECT_LE(seen.bottom(), 91);
  EXPECT_GE(seen.width, 80);
}

TEST(Panel, a_heat_map_smaller_than_the_panel_keeps_its_place) {
  Canvas canvas(100, 100);
  Panel panel(canvas, {9.5, 9.5, 80, 80}, {-1, 1}, {-1, 1});
  panel.heat_map(sample_grid(3, 3, {0, 0.5}, {0, 0.5}, [](Point) { return 1.0; }), vivid_map(),
                 {0, 2});
  const Rect seen = marked(canvas);
  EXPECT_NEAR(seen.x, 49.5, 1);
  EXPECT_NEAR(seen.bottom(), 49.5, 1);
  EXPECT_NEAR(seen.width, 20, 2);
}

TEST(Panel, the_longest_arrow_spans_the_reach_of_a_cell) {
  for (const ArrowLength length : {ArrowLength::linear, ArrowLength::root}) {
    Canvas canvas(100, 100);
    Panel panel(canvas, kPanelArea, {-1, 1}, {-1, 1});
    const Point at[] = {{0, 0}};
    const Point vectors[] = {{700, 0}};
    panel.arrows(at, vectors, {.length = length, .reach = 0.8, .cell = 0.5});
    EXPECT_NEAR(marked(canvas).width, 0.8 * 0.5 * 40, 2);
  }
}

TEST(Panel, short_arrows_stay_longer_under_the_root) {
  const auto width_of_a_hundredth = [](ArrowLength length) {
    Canvas canvas(100, 100);
    Panel panel(canvas, kPanelArea, {-1, 1}, {-1, 1});
    const Point at[] = {{0, 0}};
    const Point vectors[] = {{0.01, 0}};
    panel.arrows(at, vectors, {.length = length, .reach = 1, .cell = 1, .strongest = 1});
    return marked(canvas).width;
  };
  EXPECT_NEAR(width_of_a_hundredth(ArrowLength::root), 4, 2);
  EXPECT_LE(width_of_a_hundredth(ArrowLength::linear), 2);
}

TEST(Panel, arrows_point_up_for_positive_y) {
  Canvas canvas(100, 100);
  Panel panel(canvas, kPanelArea, {-1, 1}, {-1, 1});
  const Point at[] = {{0, 0}};
  const Point vectors[] = {{0, 1}};
  panel.arrows(at, vectors, {.arrow = {.width = 1, .head = 10}, .reach = 1, .cell = 1});
  const Rect whole = marked(canvas);
  canvas.rectangle({0, 0, 100, 50}, kPaper);  // covers the head, which is the wide part
  EXPECT_LT(marked(canvas).width, whole.width);
}

TEST(Panel, nothing_and_values_that_are_not_finite_draw_nothing) {
  Canvas canvas(100, 100);
  Panel panel(canvas, kPanelArea, {-1, 1}, {-1, 1});
  const Polyline lost{{kNan, 0}, {0, kInf}, {-kInf, -kInf}};
  const Polyline middle(3, Point{0, 0});
  panel.points({}, 2, kRed);
  panel.path({}, {});
  panel.arrows({}, {});
  panel.heat_map({}, vivid_map(), {});
  panel.contours({}, std::vector<double>{1}, {});
  panel.points(lost, 2, kRed);
  panel.stars(lost, 2, kRed);
  panel.path(lost, {});
  panel.arrows(lost, middle);
  panel.arrows(middle, lost);
  panel.heat_map(sample_grid(4, 4, {-1, 1}, {-1, 1}, [](Point) { return kNan; }), vivid_map(), {});
  EXPECT_EQ(marked(canvas).width, 0);
}

TEST(Panel, zero_and_infinite_ranges_are_widened) {
  Canvas canvas(100, 100);
  for (const Range range : {Range{}, Range{2, 2}, Range{-kInf, kInf}, Range{-1e308, 1e308}}) {
    Panel panel(canvas, kPanelArea, range, range);
    panel.frame();
    EXPECT_TRUE(is_finite(panel.to_canvas({2, 2})));
  }
}

TEST(Panel, words_stay_within_the_room_it_names) {
  Canvas canvas(240, 240);
  const Rect area{80, 80, 80, 80};
  Panel panel(canvas, area, {0, 1}, {0, 1},
              {.title = "A title longer than the panel",
               .subtitle = "and an even longer subtitle below it",
               .x_label = "x",
               .y_label = "y",
               .x_ticks = {{0.5, "0.5"}},
               .y_ticks = {{0.5, "0.50"}, {7, "left out"}}});
  panel.frame();
  const Rect seen = marked(canvas);
  EXPECT_GE(seen.y, area.y - Panel::kTitleRoom - Panel::kSubtitleRoom);
  EXPECT_LE(seen.bottom(), area.bottom() + 1 + Panel::kTickRoom + Panel::kLabelRoom);
  EXPECT_GE(seen.x, area.x - 40 - Panel::kLabelRoom);
  EXPECT_LE(seen.right(), area.right() + 2);
}

TEST(Panel, mistakes_of_the_caller_are_usage_errors) {
  Canvas canvas(100, 100);
  EXPECT_THROW(Panel(canvas, {0, 0, 0, 10}, {0, 1}, {0, 1}), Error);
  EXPECT_THROW(Panel(canvas, {0, 0, kNan, 10}, {0, 1}, {0, 1}), Error);
  Panel panel(canvas, kPanelArea, {0, 1}, {0, 1});
  EXPECT_THROW(panel.arrows(Polyline(3), Polyline(2)), Error);
}

}  // namespace
}  // namespace eqm::draw
