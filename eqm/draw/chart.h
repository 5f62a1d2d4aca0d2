// Charts of numbers: curves and histograms with axes, ticks, labels and a legend. `area` is the
// frame's rectangle; leave the room that panel.h names around it for the words. The legend stands
// where it hides nothing: in a free corner, else above the curves, which then leave room for it,
// else beside a narrower frame.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eqm/draw/axis.h"
#include "eqm/draw/canvas.h"
#include "eqm/draw/geometry.h"
#include "eqm/draw/legend.h"

namespace eqm::draw {

struct Series {
  std::string name = {};  // empty: not in the legend
  std::vector<double> x = {};
  std::vector<double> y = {};                   // as many as x
  std::optional<Colour> colour = std::nullopt;  // none: the next of the categorical palette
  double width = 1.8;                           // of the line
};

// The area between two curves, drawn behind the series.
struct Band {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> low = {}, high = {};  // as many as x
  Colour colour = kFaint;
};

struct Sample {
  std::string name = {};
  std::vector<double> values = {};
};

struct ChartOptions {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  Scale x_scale = Scale::linear;      // log for curves only
  Scale y_scale = Scale::linear;      // log leaves out what is not positive, as for x
  std::optional<Place> legend = {};   // none: where it hides nothing
  bool dots = false;                  // marks the points that a curve goes through
  std::optional<Range> x_range = {};  // of a histogram's bins; none: that of the values
  std::vector<Band> bands = {};       // of curves
};

// Curves in the order of the categorical palette, dashed from the seventh on; a value that cannot
// be drawn breaks its curve, and a point without neighbours is a dot. Axes of whole numbers have
// whole ticks; with dots, x has ticks at the points where there are few.
void line_chart(Canvas& canvas, Rect area, std::span<const Series> series,
                const ChartOptions& options = {});

// Counts of each sample in bins of equal width over the common range, drawn translucently.
void histogram(Canvas& canvas, Rect area, std::span<const Sample> samples, int bins,
               const ChartOptions& options = {});

// How many values lie in each of `bins` equal parts of the range; its upper end is in the last.
std::vector<double> bin_counts(std::span<const double> values, Range range, int bins);

}  // namespace eqm::draw
