#include "eqm/draw/axis.h"

#include <algorithm>
#include <cmath>

#include "eqm/draw/canvas.h"

namespace eqm::draw {
namespace {

constexpr double kTickType = 11;     // size of the labels
constexpr double kBetweenWords = 9;  // pixels between labels side by side
constexpr double kLineHeight = 15;   // of labels above each other
constexpr double kPixelsPerTick = 70, kPixelsPerRow = 42;
constexpr double kMostBare = 1.0 / 7;    // of an axis, beyond its last tick
constexpr std::size_t kMostWanted = 12;  // values; more make a ruler, not an axis

// Clears the labels that would run into the one before; whether there were any.
bool thin_out(Axis& axis, const AxisOptions& options) {
  double end = -1e9;  // of the label before
  bool thinned = false;
  for (Tick& tick : axis.ticks) {
    if (tick.label.empty()) continue;
    const double at = axis.range.fraction(tick.at) * options.length;
    const double half = options.side == Side::bottom
                            ? text_width(tick.label, {.size = kTickType}) / 2 + kBetweenWords / 2
                            : kLineHeight / 2;
    if (at - half < end) {
      tick.label.clear();
      thinned = true;
    } else {
      end = at + half;
    }
  }
  return thinned;
}

// The nearest labelled tick beyond an end, or the end itself where there is none.
double next_below(const TickRule& rule, Range range) {
  double found = range.low;
  for (const Tick& tick : rule({range.low - range.width(), range.low})) {
    if (!tick.label.empty()) found = tick.at;
  }
  return found;
}

double next_above(const TickRule& rule, Range range) {
  for (const Tick& tick : rule({range.high, range.high + range.width()})) {
    if (!tick.label.empty()) return tick.at;
  }
  return range.high;
}

Range reaching_ticks(const TickRule& rule, Range range) {
  Range numbered;
  for (const Tick& tick : rule(range)) {
    if (!tick.label.empty()) numbered.include(tick.at);
  }
  Range result = range;
  if (!(numbered.low - range.low <= kMostBare * range.width())) {
    result.low = next_below(rule, range);
  }
  if (!(range.high - numbered.high <= kMostBare * range.width())) {
    result.high = next_above(rule, range);
  }
  return result;
}

}  // namespace

Axis fit_axis(Range data, const AxisOptions& options) {
  Range range = widened(data);
  const bool whole = options.numbers == Numbers::whole && options.scale == Scale::linear;
  // One whole number stands between its neighbours.
  if (whole && data.high - data.low < 1) range = {range.low - 1, range.high + 1};
  const double width = range.width();
  range = {range.low - options.room_low * width, range.high + options.room_high * width};
  if (!options.wanted.empty() && options.wanted.size() <= kMostWanted) {
    Axis axis = {.range = range, .ticks = ticks_at(options.wanted)};
    if (options.scale == Scale::log) {
      for (Tick& tick : axis.ticks) tick.at = std::log10(tick.at);
    }
    if (!axis.ticks.empty() && !thin_out(axis, options)) return axis;
  }
  const double each = options.side == Side::bottom ? kPixelsPerTick : kPixelsPerRow;
  Axis axis;
  for (int about = static_cast<int>(std::clamp(options.length / each, 2.0, 10.0)); about >= 1;
       --about) {
    const TickRule rule = options.scale == Scale::log ? log_rule(range, about)
                                                      : nice_rule(range, about, options.numbers);
    axis.range = reaching_ticks(rule, range);
    axis.ticks = rule(axis.range);
    if (!thin_out(axis, options)) break;
  }
  return axis;
}

bool are_whole(std::span<const double> values) {
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (value != std::floor(value)) return false;
    any = true;
  }
  return any;
}

}  // namespace eqm::draw
