#include "eqm/draw/legend.h"

#include <gtest/gtest.h>

namespace eqm::draw {
namespace {

constexpr Rect kLegendArea{10, 20, 300, 200};
const std::vector<LegendEntry> kEntries{{"data", kInk, Marker::star},
                                        {"noise", kInk, Marker::dot},
                                        {"path", kInk, Marker::line},
                                        {"field", kInk, Marker::arrow},
                                        {"bin", kInk, Marker::square}};

int red_at(const Pixels& pixels, double x, double y) {
  return pixels.rgb[static_cast<std::size_t>(3 * (int(y) * pixels.width + int(x)))];
}

TEST(Legend, lies_inside_the_area_in_every_place) {
  for (const Place place : {Place::top_left, Place::top_right, Place::bottom_left,
                            Place::bottom_right, Place::centre}) {
    const Rect box = legend_area(kLegendArea, kEntries, {.place = place});
    EXPECT_GE(box.x, kLegendArea.x);
    EXPECT_GE(box.y, kLegendArea.y);
    EXPECT_LE(box.right(), kLegendArea.right());
    EXPECT_LE(box.bottom(), kLegendArea.bottom());
  }
}

TEST(Legend, a_row_is_wider_and_lower_than_a_column) {
  const Rect row = legend_area(kLegendArea, kEntries, {.direction = Direction::horizontal});
  const Rect column = legend_area(kLegendArea, kEntries, {.direction = Direction::vertical});
  EXPECT_GT(row.width, column.width);
  EXPECT_LT(row.height, column.height);
}

TEST(Legend, takes_the_place_it_announced) {
  Canvas canvas(330, 240);
  const Rect box = legend(canvas, kLegendArea, kEntries);
  EXPECT_EQ(box.x, legend_area(kLegendArea, kEntries).x);
  const Pixels pixels = canvas.to_pixels();
  EXPECT_LT(red_at(pixels, box.x, box.centre().y), 255);
  EXPECT_EQ(red_at(pixels, box.x - 3, box.centre().y), 255);
}

TEST(Legend, without_entries_draws_nothing) {
  Canvas canvas(330, 240);
  EXPECT_EQ(legend(canvas, kLegendArea, {}).width, 0);
  for (const std::uint8_t value : canvas.to_pixels().rgb) ASSERT_EQ(value, 255);
}

TEST(EmptiestPlace, is_free_where_no_line_passes) {
  const std::vector<LegendEntry> one{{"line"}};
  // Long segments whose ends lie outside all corners.
  const std::vector<Polyline> cross{{{10, 20}, {310, 220}}};
  const LegendPlace place = emptiest_place(kLegendArea, one, cross);
  EXPECT_EQ(place.hidden, 0);
  EXPECT_TRUE(place.place == Place::top_right || place.place == Place::bottom_left);
  std::vector<Polyline> all;
  for (int y = 20; y <= 220; y += 4) all.push_back({{10, double(y)}, {310, double(y)}});
  EXPECT_GT(emptiest_place(kLegendArea, one, all).hidden, 50);
}

TEST(FittingEntries, say_how_many_were_left_out) {
  const std::vector<LegendEntry> many(30, LegendEntry{"entry"});
  const auto shown = fitting_entries(many, 200);
  EXPECT_LT(shown.size(), 12u);
  EXPECT_EQ(shown.back().name, "and " + std::to_string(31 - shown.size()) + " more");
  EXPECT_LE(legend_area(kLegendArea, shown).height, 200);
  EXPECT_EQ(fitting_entries(kEntries, 200).size(), kEntries.size());
}

TEST(ColourBar, runs_from_low_to_high_without_fading_at_its_ends) {
  const ColourMap map({{0, 0, 0}, {0.8, 0, 0}});
  Canvas canvas(120, 120);
  colour_bar(canvas, {10.5, 10.5, 90, 12}, map, {0, 1},
             {.direction = Direction::horizontal, .label = "energy"});
  const Pixels row = canvas.to_pixels();
  EXPECT_NEAR(red_at(row, 12, 16), 0, 8);
  EXPECT_NEAR(red_at(row, 55, 16), 102, 4);
  EXPECT_NEAR(red_at(row, 98, 16), 204, 8);

  Canvas upright(120, 120);
  colour_bar(upright, {10.5, 10.5, 12, 90}, map, {0, 1});
  const Pixels column = upright.to_pixels();
  EXPECT_NEAR(red_at(column, 16, 12), 204, 8);
  EXPECT_NEAR(red_at(column, 16, 98), 0, 8);
}

TEST(ColourBar, survives_an_empty_range) {
  Canvas canvas(120, 120);
  colour_bar(canvas, {10, 10, 12, 90}, light_map(), {});
  EXPECT_NO_THROW(canvas.to_pixels());
}

}  // namespace
}  // namespace eqm::draw
