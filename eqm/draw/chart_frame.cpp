#include "eqm/draw/chart_frame.h"

#include <algorithm>
#include <utility>

namespace eqm::draw {
namespace {

constexpr double kLowLegend = 0.3;     // of the frame's height: so much may be added above the data
constexpr double kHighLegend = 0.6;    // at worst
constexpr double kNarrowLegend = 0.4;  // of the frame's width, beside it
constexpr double kGap = 14;            // around a legend that stands free

ChartFrame with_axes(Rect area, const ChartContent& content, double headroom) {
  AxisOptions x = content.x_axis, y = content.y_axis;
  x.side = Side::bottom;
  x.length = area.width;
  y.side = Side::left;
  y.length = area.height;
  y.room_high += headroom * (1 + y.room_low + y.room_high) / (1 - headroom);
  return {.area = area,
          .x = fit_axis(content.x, x),
          .y = fit_axis(content.y, y),
          .entries = fitting_entries(content.entries, area.height),
          .legend = area};
}

// The lines as a panel places them.
std::vector<Polyline> on_canvas(const ChartFrame& frame, const ChartContent& content) {
  Canvas scratch(1, 1);
  const Panel panel(scratch, frame.area, frame.x.range, frame.y.range, {.aspect = Aspect::free});
  std::vector<Polyline> lines = content.lines;
  for (Polyline& line : lines) {
    for (Point& p : line) p = panel.to_canvas(p);
  }
  return lines;
}

// Takes the emptiest place; how much it hides.
double settle_legend(ChartFrame& frame, const ChartContent& content) {
  const LegendPlace best = emptiest_place(frame.area, frame.entries, on_canvas(frame, content));
  frame.place = best.place;
  return best.hidden;
}

}  // namespace

ChartFrame frame_of(Rect area, const ChartContent& content, const ChartOptions& options) {
  ChartFrame plain = with_axes(area, content, 0);
  if (plain.entries.empty()) return plain;
  if (options.legend) {
    plain.place = *options.legend;
    return plain;
  }
  if (settle_legend(plain, content) == 0) return plain;

  const Rect box = legend_area(area, plain.entries);
  const double share = (box.height + kGap) / area.height;
  if (share <= kLowLegend) {
    ChartFrame lower = with_axes(area, content, share);
    if (settle_legend(lower, content) == 0) return lower;
  }
  if (box.width + kGap <= kNarrowLegend * area.width) {
    Rect narrow = area;
    narrow.width -= box.width + kGap;
    ChartFrame beside = with_axes(narrow, content, 0);
    beside.legend = {narrow.right(), area.y, area.right() - narrow.right(), area.height};
    beside.place = Place::right;
    return beside;
  }
  if (share <= kHighLegend) {
    ChartFrame lower = with_axes(area, content, share);
    if (settle_legend(lower, content) == 0) return lower;
  }
  return plain;
}

PanelOptions panel_options(const ChartFrame& frame, const ChartOptions& options) {
  return {.title = options.title,
          .subtitle = options.subtitle,
          .x_label = options.x_label,
          .y_label = options.y_label,
          .x_ticks = frame.x.ticks,
          .y_ticks = frame.y.ticks,
          .aspect = Aspect::free,
          .grid_lines = true};
}

}  // namespace eqm::draw
