#include "eqm/draw/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/draw/chart_frame.h"
#include "eqm/draw/panel.h"

namespace eqm::draw {
namespace {

constexpr double kHeadroom = 0.06;  // of the y range, above and below the curves
constexpr double kSideRoom = 0.03;  // of the x range, beside dots and bins
constexpr double kDot = 3.5, kLonePoint = 2.5;
constexpr int kMostBins = 10000;

double on_scale(double value, Scale scale) {
  if (scale == Scale::linear) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

// Curves beyond the palette's six colours differ by their dashes.
std::vector<double> dashes_of(std::size_t k) {
  static const std::array<std::vector<double>, 4> kDashes{
      std::vector<double>{}, {6, 3}, {2, 2.5}, {8, 3, 2, 3}};
  return kDashes[(k / 6) % kDashes.size()];
}

Polyline scaled(std::span<const double> x, std::span<const double> y, const std::string& name,
                const ChartOptions& options) {
  if (x.size() != y.size()) {
    throw Error(ErrorKind::usage,
                fmt::format("the series '{}' has {} x and {} y", name, x.size(), y.size()),
                "give one y for each x");
  }
  Polyline line;
  for (std::size_t k = 0; k < x.size(); ++k) {
    line.push_back({on_scale(x[k], options.x_scale), on_scale(y[k], options.y_scale)});
  }
  return line;
}

void include(ChartContent& content, const Polyline& line) {
  for (const Point& p : line) {
    if (!is_finite(p)) continue;
    content.x.include(p.x);
    content.y.include(p.y);
  }
}

// Points that no line reaches.
Polyline lone_points(const Polyline& line) {
  Polyline lone;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const bool before = k > 0 && is_finite(line[k - 1]);
    const bool after = k + 1 < line.size() && is_finite(line[k + 1]);
    if (is_finite(line[k]) && !before && !after) lone.push_back(line[k]);
  }
  return lone;
}

// The outline of a band; empty where it has no two finite points.
Polyline outline_of(const Polyline& low, const Polyline& high) {
  Polyline outline;
  std::ranges::copy_if(low, std::back_inserter(outline), is_finite);
  for (auto p = high.rbegin(); p != high.rend(); ++p) {
    if (is_finite(*p)) outline.push_back(*p);
  }
  return outline.size() < 3 ? Polyline{} : outline;
}

// The different x of all series, from left to right.
std::vector<double> distinct_x(std::span<const Series> series, Scale scale) {
  std::set<double> found;
  for (const Series& s : series) {
    for (const double x : s.x) {
      if (std::isfinite(on_scale(x, scale))) found.insert(x);
    }
  }
  return {found.begin(), found.end()};
}

bool all_whole(std::span<const Series> series, std::vector<double> Series::*values) {
  bool any = false;
  for (const Series& s : series) {
    if ((s.*values).empty()) continue;
    if (!are_whole(s.*values)) return false;
    any = true;
  }
  return any;
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

// What a legend must not cover of a histogram: its outline, and the bins' sides within it.
std::vector<Polyline> bars_of(const Polyline& steps, double floor) {
  std::vector<Polyline> bars{steps};
  for (const Point& p : steps) bars.push_back({{p.x, floor}, p});
  return bars;
}

}  // namespace

void line_chart(Canvas& canvas, Rect area, std::span<const Series> series,
                const ChartOptions& options) {
  ChartContent content;
  std::vector<Polyline> bands;
  for (const Band& band : options.bands) {
    const Polyline low = scaled(band.x, band.low, band.name, options);
    const Polyline high = scaled(band.x, band.high, band.name, options);
    include(content, low);
    include(content, high);
    bands.push_back(outline_of(low, high));
    if (!band.name.empty()) content.entries.push_back({band.name, band.colour, Marker::square});
  }
  std::vector<Polyline> curves;
  std::vector<Stroke> strokes;
  std::size_t own = 0;  // series that take the palette's colours
  for (const Series& s : series) {
    include(content, curves.emplace_back(scaled(s.x, s.y, s.name, options)));
    Stroke& stroke = strokes.emplace_back(
        Stroke{.colour = s.colour.value_or(category(own)), .width = s.width, .dashes = {}});
    if (!s.colour) stroke.dashes = dashes_of(own++);
    if (s.name.empty()) continue;
    content.entries.push_back({s.name, stroke.colour, Marker::line, stroke.dashes});
  }
  content.lines = curves;
  content.lines.insert(content.lines.end(), bands.begin(), bands.end());
  const std::vector<double> points =
      options.dots ? distinct_x(series, options.x_scale) : std::vector<double>();
  const auto numbers = [&](std::vector<double> Series::*values) {
    return all_whole(series, values) ? Numbers::whole : Numbers::any;
  };
  const bool has_dots = options.dots || std::ranges::any_of(curves, [](const Polyline& curve) {
                          return !lone_points(curve).empty();
                        });
  const double side = has_dots ? kSideRoom : 0;  // dots would stand on the frame
  content.x_axis = {.scale = options.x_scale,
                    .numbers = numbers(&Series::x),
                    .room_low = side,
                    .room_high = side,
                    .wanted = points};
  content.y_axis = {.scale = options.y_scale,
                    .numbers = numbers(&Series::y),
                    .room_low = kHeadroom,
                    .room_high = kHeadroom};
  const ChartFrame frame = frame_of(area, content, options);
  Panel panel(canvas, frame.area, frame.x.range, frame.y.range, panel_options(frame, options));
  for (std::size_t k = 0; k < bands.size(); ++k) panel.polygon(bands[k], options.bands[k].colour);
  for (std::size_t k = 0; k < curves.size(); ++k) {
    panel.path(curves[k], strokes[k]);
    Polyline dots = lone_points(curves[k]);
    if (options.dots) {
      dots.clear();
      std::ranges::copy_if(curves[k], std::back_inserter(dots), is_finite);
    }
    panel.points(dots, options.dots ? kDot : kLonePoint, strokes[k].colour);
  }
  panel.frame();
  legend(canvas, frame.legend, frame.entries, {.place = frame.place});
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
    throw Error(ErrorKind::usage, "a histogram has bins of equal width, not of equal ratio",
                "take the logarithm of the samples, or a linear x axis");
  }
  Range x;
  bool whole = true;
  for (const Sample& sample : samples) {
    for (const double value : sample.values) x.include(value);
    whole = whole && (sample.values.empty() || are_whole(sample.values));
  }
  x = options.x_range ? *options.x_range : widened(x);
  // A bin of one value must stand on a log axis, too: its floor is half a count.
  const double floor = options.y_scale == Scale::log ? std::log10(0.5) : 0;
  ChartContent content;
  content.x = x;
  content.y = {floor, floor};
  std::vector<Polyline> outlines;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    std::vector<double> heights = bin_counts(samples[k].values, x, bins);
    for (double& height : heights) {
      height = on_scale(height, options.y_scale);
      content.y.include(height);
    }
    outlines.push_back(staircase(heights, x, floor));
    std::ranges::copy(bars_of(outlines.back(), floor), std::back_inserter(content.lines));
    if (!samples[k].name.empty()) {
      content.entries.push_back({samples[k].name, category(k), Marker::square});
    }
  }
  if (!(content.y.width() > 0)) content.y.high = floor + 1;
  content.x_axis = {.numbers = whole ? Numbers::whole : Numbers::any,
                    .room_low = kSideRoom,
                    .room_high = kSideRoom};
  content.y_axis = {.scale = options.y_scale, .numbers = Numbers::whole, .room_high = kHeadroom};
  const ChartFrame frame = frame_of(area, content, options);
  Panel panel(canvas, frame.area, frame.x.range, frame.y.range, panel_options(frame, options));
  for (std::size_t k = 0; k < outlines.size(); ++k) {
    panel.polygon(outlines[k], category(k).with_alpha(0.35));
    panel.path(outlines[k], {.colour = category(k), .width = 1.2});
  }
  panel.frame();
  legend(canvas, frame.legend, frame.entries, {.place = frame.place});
}

}  // namespace eqm::draw
