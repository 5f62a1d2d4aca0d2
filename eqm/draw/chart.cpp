#include "eqm/draw/chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/draw/panel.h"

namespace eqm::draw {
namespace {

constexpr double kHeadroom = 0.06;             // of the y range, above and below the curves
constexpr Margins kClearance{-4, -4, -4, -4};  // between a legend and the curves
constexpr int kMostBins = 10000;

double on_scale(double value, Scale scale) {
  if (scale == Scale::linear) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<Tick> ticks_of(Range range, Scale scale, int about) {
  return scale == Scale::log ? log_ticks(range, about) : nice_ticks(range, about);
}

// `x` and `y` are on their scales already: exponents for Scale::log.
Panel panel_for(Canvas& canvas, Rect area, Range x, Range y, const ChartOptions& options) {
  x = widened(x);
  y = widened(y);
  const int columns = static_cast<int>(std::clamp(area.width / 70, 2.0, 8.0));
  const int rows = static_cast<int>(std::clamp(area.height / 45, 2.0, 8.0));
  return Panel(canvas, area, x, y,
               {.title = options.title,
                .subtitle = options.subtitle,
                .x_label = options.x_label,
                .y_label = options.y_label,
                .x_ticks = ticks_of(x, options.x_scale, columns),
                .y_ticks = ticks_of(y, options.y_scale, rows),
                .aspect = Aspect::free,
                .grid_lines = true});
}

void add_entry(std::vector<LegendEntry>& entries, const std::string& name, std::size_t k,
               Marker marker) {
  if (!name.empty()) entries.push_back({name, category(k), marker});
}

// Both ends of every bin at its height, falling to the floor at the sides.
Polyline staircase(const std::vector<double>& heights, Range range, double floor) {
  Polyline steps{{range.low, floor}};
  const double width = range.width() / static_cast<double>(heights.size());
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const double left = range.low + static_cast<double>(k) * width;
    const double top = std::isfinite(heights[k]) ? std::max(heights[k], floor) : floor;
    steps.push_back({left, top});
    steps.push_back({left + width, top});
  }
  steps.push_back({range.high, floor});
  return steps;
}

// The corner where a legend hides the fewest points of the curves (world coordinates).
Place emptiest_corner(const Panel& panel, std::span<const Polyline> curves,
                      std::span<const LegendEntry> entries) {
  Place best = Place::top_right;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const Place place :
       {Place::top_right, Place::top_left, Place::bottom_right, Place::bottom_left}) {
    const Rect box = inset(legend_area(panel.area(), entries, {.place = place}), kClearance);
    std::size_t hidden = 0;
    for (const Polyline& curve : curves) {
      for (const Point& world : curve) {
        const Point p = panel.to_canvas(world);
        if (p.x >= box.x && p.x <= box.right() && p.y >= box.y && p.y <= box.bottom()) ++hidden;
      }
    }
    if (hidden >= fewest) continue;
    fewest = hidden;
    best = place;
  }
  return best;
}

void add_legend(Canvas& canvas, const Panel& panel, std::span<const Polyline> curves,
                std::span<const LegendEntry> entries, const ChartOptions& options) {
  const Place place = options.legend ? *options.legend : emptiest_corner(panel, curves, entries);
  legend(canvas, panel.area(), entries, {.place = place});
}

}  // namespace

void line_chart(Canvas& canvas, Rect area, std::span<const Series> series,
                const ChartOptions& options) {
  Range x;
  Range y;
  std::vector<Polyline> curves;
  for (const Series& s : series) {
    if (s.x.size() != s.y.size()) {
      throw Error(ErrorKind::usage,
                  fmt::format("the series '{}' has {} x and {} y", s.name, s.x.size(), s.y.size()));
    }
    Polyline& curve = curves.emplace_back();
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      const Point p{on_scale(s.x[k], options.x_scale), on_scale(s.y[k], options.y_scale)};
      curve.push_back(p);
      if (!is_finite(p)) continue;
      x.include(p.x);
      y.include(p.y);
    }
  }
  y = widened(y);
  const double room = kHeadroom * y.width();
  if (options.dots) {  // which would stand on the frame
    x = widened(x);
    const double side = kHeadroom / 2 * x.width();
    x = {x.low - side, x.high + side};
  }
  Panel panel = panel_for(canvas, area, x, {y.low - room, y.high + room}, options);
  std::vector<LegendEntry> entries;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    panel.path(curves[k], {.colour = category(k), .width = 1.8});
    if (options.dots) {
      Polyline drawn;
      std::ranges::copy_if(curves[k], std::back_inserter(drawn), is_finite);
      panel.points(drawn, 3.5, category(k));
    }
    add_entry(entries, series[k].name, k, Marker::line);
  }
  panel.frame();
  add_legend(canvas, panel, curves, entries, options);
}

std::vector<double> bin_counts(std::span<const double> values, Range range, int bins) {
  if (bins < 1 || bins > kMostBins) {
    throw Error(ErrorKind::usage, fmt::format("a histogram cannot have {} bins", bins),
                fmt::format("ask for 1 to {}", kMostBins));
  }
  range = widened(range);
  std::vector<double> counts(static_cast<std::size_t>(bins), 0.0);
  for (const double value : values) {
    if (!(value >= range.low && value <= range.high)) continue;
    const auto bin = static_cast<std::size_t>(range.fraction(value) * bins);
    counts[std::min(bin, counts.size() - 1)] += 1;
  }
  return counts;
}

void histogram(Canvas& canvas, Rect area, std::span<const Sample> samples, int bins,
               const ChartOptions& options) {
  if (options.x_scale == Scale::log) {
    throw Error(ErrorKind::usage, "a histogram has bins of equal width, not of equal ratio");
  }
  Range x;
  for (const Sample& sample : samples) {
    for (const double value : sample.values) x.include(value);
  }
  x = options.x_range ? *options.x_range : widened(x);
  // A bin of one value must stand on a log axis, too: its floor is half a count.
  const double floor = options.y_scale == Scale::log ? std::log10(0.5) : 0;
  Range y{floor, floor};
  std::vector<std::vector<double>> heights;
  for (const Sample& sample : samples) {
    heights.push_back(bin_counts(sample.values, x, bins));
    for (double& height : heights.back()) {
      height = on_scale(height, options.y_scale);
      y.include(height);
    }
  }
  if (!(y.width() > 0)) y.high = floor + 1;
  y.high += kHeadroom * y.width();
  Panel panel = panel_for(canvas, area, x, y, options);
  std::vector<LegendEntry> entries;
  std::vector<Polyline> outlines;
  for (std::size_t k = 0; k < heights.size(); ++k) {
    Polyline& steps = outlines.emplace_back(staircase(heights[k], x, floor));
    Polyline shape = steps;
    for (Point& p : shape) p = panel.to_canvas(p);
    canvas.polygon(shape, category(k).with_alpha(0.35));
    panel.path(steps, {.colour = category(k), .width = 1.2});
    add_entry(entries, samples[k].name, k, Marker::square);
  }
  panel.frame();
  add_legend(canvas, panel, outlines, entries, options);
}

}  // namespace eqm::draw
