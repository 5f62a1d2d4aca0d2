#include "eqm/draw/bar_chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/draw/panel.h"

namespace eqm::draw {
namespace {

constexpr double kThickness = 0.64;  // of a bar, as a share of its row
constexpr double kValueRoom = 0.14;  // of the width, for the numbers at the ends

double along(double value, Scale scale) {
  return scale == Scale::linear ? value : std::log10(value);
}

bool can_be_drawn(const Bar& bar, Scale scale) {
  return std::isfinite(along(bar.value, scale));
}

Range value_range(std::span<const Bar> bars, Scale scale) {
  Range range;
  if (scale == Scale::linear) range.include(0);
  for (const Bar& bar : bars) {
    if (!can_be_drawn(bar, scale)) continue;
    for (const double end : {bar.value, bar.low, bar.high}) range.include(along(end, scale));
  }
  range = widened(range);
  if (scale == Scale::log) range.low -= 0.1 * range.width();
  return range;
}

}  // namespace

void bar_chart(Canvas& canvas, Rect area, std::span<const Bar> bars, const ChartOptions& options) {
  const Scale scale = options.y_scale;
  const Axis axis = fit_axis(
      value_range(bars, scale),
      {.scale = scale, .side = Side::bottom, .length = area.width, .room_high = kValueRoom});
  Panel panel(canvas, area, axis.range, {.low = 0, .high = static_cast<double>(bars.size())},
              {.title = options.title,
               .subtitle = options.subtitle,
               .x_label = options.y_label,
               .x_ticks = axis.ticks,
               .aspect = Aspect::free,
               .grid_lines = true});
  const double base = scale == Scale::linear ? 0 : axis.range.low;
  for (size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const double middle = static_cast<double>(bars.size() - i) - 0.5;
    canvas.text({area.x - 8, panel.to_canvas({base, middle}).y + 4}, bar.name,
                {.size = 12, .align = Align::right, .max_width = area.x - 12});
    if (!can_be_drawn(bar, scale)) continue;
    const double end = along(bar.value, scale), half = kThickness / 2;
    panel.polygon(Polyline{{base, middle - half},
                           {end, middle - half},
                           {end, middle + half},
                           {base, middle + half}},
                  category(0).with_alpha(0.75));
    const double low = along(bar.low, scale), high = along(bar.high, scale);
    if (bar.low != bar.high && std::isfinite(low) && std::isfinite(high)) {
      panel.path(Polyline{{low, middle}, {high, middle}}, {kInk, 1.4});
      for (const double side : {low, high}) {
        panel.path(Polyline{{side, middle - 0.12}, {side, middle + 0.12}}, {kInk, 1.4});
      }
    }
    const double right = std::max(end, std::isfinite(high) ? high : end);
    const Point at = panel.to_canvas({std::max(right, base), middle});
    canvas.text({at.x + 6, at.y + 4}, fmt::format("{:.4g}", bar.value),
                {.colour = kMuted, .size = 11});
  }
  panel.frame();
}

}  // namespace eqm::draw
