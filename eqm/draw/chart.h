// Charts of numbers: curves and histograms with axes, ticks, labels and a legend. `area` is the
// frame's rectangle; leave the room that panel.h names around it for the words.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eqm/draw/canvas.h"
#include "eqm/draw/geometry.h"
#include "eqm/draw/legend.h"

namespace eqm::draw {

struct Series {
  std::string name = {};  // empty: not in the legend
  std::vector<double> x = {};
  std::vector<double> y = {};  // as many as x
};

struct Sample {
  std::string name = {};
  std::vector<double> values = {};
};

enum class Scale { linear, log };

struct ChartOptions {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  Scale x_scale = Scale::linear;      // log for curves only
  Scale y_scale = Scale::linear;      // log leaves out what is not positive, as for x
  std::optional<Place> legend = {};   // none: the corner that hides the fewest points
  bool dots = false;                  // marks the points that a curve goes through
  std::optional<Range> x_range = {};  // of a histogram's bins; none: that of the values
};

// Curves in the order of the categorical palette; a value that cannot be drawn breaks its curve.
void line_chart(Canvas& canvas, Rect area, std::span<const Series> series,
                const ChartOptions& options = {});

// Counts of each sample in bins of equal width over the common range, drawn translucently.
void histogram(Canvas& canvas, Rect area, std::span<const Sample> samples, int bins,
               const ChartOptions& options = {});

// How many values lie in each of `bins` equal parts of the range; its upper end is in the last.
std::vector<double> bin_counts(std::span<const double> values, Range range, int bins);

}  // namespace eqm::draw
