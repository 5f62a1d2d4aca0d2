// Where the parts of a chart go before anything is drawn: its frame, its axes and its legend.
// Private to the charts of this folder.
#pragma once

#include <span>
#include <vector>

#include "eqm/draw/chart.h"
#include "eqm/draw/panel.h"

namespace eqm::draw {

struct ChartContent {
  Range x = {}, y = {};                  // of the data, on their scales
  AxisOptions x_axis = {}, y_axis = {};  // length and side are filled in
  std::vector<Polyline> lines = {};      // what a legend must not hide, on the scales
  std::vector<LegendEntry> entries = {};
};

struct ChartFrame {
  Rect area = {};
  Axis x = {}, y = {};
  std::vector<LegendEntry> entries = {};  // those that fit
  Rect legend = {};                       // the area the legend stands in
  Place place = Place::top_right;         // within it
};

ChartFrame frame_of(Rect area, const ChartContent& content, const ChartOptions& options);

PanelOptions panel_options(const ChartFrame& frame, const ChartOptions& options);

}  // namespace eqm::draw
