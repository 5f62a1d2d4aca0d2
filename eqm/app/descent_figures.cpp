#include "eqm/app/descent_figures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "eqm/app/averages.h"
#include "eqm/app/figure_file.h"
#include "eqm/codec/pictures.h"
#include "eqm/descend/sampling.h"
#include "eqm/draw/chart.h"
#include "eqm/io/csv_records.h"

namespace eqm::app {
namespace {

constexpr int64_t kTraceStages = 9;
constexpr double kWideRange = 10;  // ratio from which a logarithmic axis shows more

double value_of(const Reading& reading, Quantity quantity) {
  return quantity == Quantity::norm ? reading.norm : reading.energy;
}

Tensor room_for(int64_t count, Shape shape) {
  shape.insert(shape.begin(), count);
  return torch::empty(shape, torch::kFloat64);
}

// Values of all paths by step, at the steps that all strides have in common.
std::map<int64_t, std::vector<double>> by_step(const std::vector<NamedPath>& paths,
                                               Quantity quantity) {
  int64_t stride = 1;
  for (const NamedPath& one : paths) stride = std::max(stride, one.path->readings.stride());
  std::map<int64_t, std::vector<double>> values;
  for (const NamedPath& one : paths) {
    for (const Reading& reading : one.path->readings.entries()) {
      const double value = value_of(reading, quantity);
      if (reading.step % stride == 0 && std::isfinite(value)) {
        values[reading.step].push_back(value);
      }
    }
  }
  return values;
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

}  // namespace

Image trace_picture(const std::vector<NamedPath>& paths, const Shape& shape, const Codec& codec) {
  Tensor stages = room_for(static_cast<int64_t>(paths.size()) * kTraceStages, shape);
  draw::GridOptions options = {.columns = kTraceStages, .gap = 6};
  int64_t place = 0;
  for (const NamedPath& one : paths) {
    options.row_labels.push_back(one.name);
    const int64_t stride = one.path->states.stride();
    for (int64_t k = 0; k < kTraceStages; ++k) {
      const double where = static_cast<double>(k * one.path->end.step) / (kTraceStages - 1);
      // The step of a state that was kept, and the very end.
      const int64_t step =
          k == kTraceStages - 1 ? one.path->end.step : std::lround(where) / stride * stride;
      put_state(one.path->at(step), stages, place++);
      std::vector<std::string>& caption =
          options.captions.emplace_back(std::vector{fmt::format("step {}", step)});
      if (const Reading* reading = one.path->reading_at(step)) {
        caption.push_back(fmt::format("norm {:.3g}", reading->norm));
      }
    }
  }
  return picture_grid(stages, codec, options);
}

bool has_quantity(const std::vector<NamedPath>& paths, Quantity quantity) {
  return !by_step(paths, quantity).empty();
}

draw::Canvas way_chart(const std::vector<NamedPath>& paths, Quantity quantity) {
  const bool is_norm = quantity == Quantity::norm;
  const std::string what = is_norm ? "norm of the gradient" : "energy";
  const draw::Colour strong = draw::category(0);
  draw::Series median_line = {.name = fmt::format("median of {}", paths.size()), .colour = strong};
  draw::Band band = {.name = "range", .colour = strong.with_alpha(0.15)};
  draw::Range all;
  for (const auto& [step, values] : by_step(paths, quantity)) {
    const auto [least, most] = std::ranges::minmax(values);
    for (std::vector<double>* x : {&median_line.x, &band.x}) x->push_back(double(step));
    median_line.y.push_back(median(values));
    band.low.push_back(least);
    band.high.push_back(most);
    all.include(least);
    all.include(most);
  }
  std::vector<draw::Series> series;
  for (const NamedPath& one : paths) {
    draw::Series& line = series.emplace_back();
    line.name = series.size() == 1 ? "single samples" : "";
    line.colour = draw::kMuted.with_alpha(0.45);
    line.width = 0.7;
    for (const Reading& reading : one.path->readings.entries()) {
      line.x.push_back(double(reading.step));
      line.y.push_back(value_of(reading, quantity));
    }
  }
  series.push_back(std::move(median_line));
  draw::ChartOptions options = {
      .title = is_norm ? "Norm of the gradient along the way" : "Energy along the way",
      .subtitle = "median and range of the samples still moving",
      .x_label = "step",
      .y_label = what};
  if (all.low > 0 && all.high > kWideRange * all.low) options.y_scale = draw::Scale::log;
  if (paths.size() > 1) {
    options.bands.push_back(std::move(band));
  } else {  // one line needs no key
    options.subtitle.clear();
    for (draw::Series& line : series) line.name.clear();
  }
  draw::Canvas canvas(720, 440);
  draw::line_chart(canvas, {.x = 74, .y = 56, .width = 616, .height = 324}, series, options);
  return canvas;
}

void write_readings(const std::filesystem::path& file, const std::vector<NamedPath>& paths) {
  std::vector<CsvRecord> records;
  for (const NamedPath& one : paths) {
    for (const Reading& reading : one.path->readings.entries()) {
      records.push_back({std::to_string(one.sample), one.name, std::to_string(reading.step),
                         csv_number(reading.norm), csv_number(reading.energy)});
    }
  }
  write_csv_records(file, {"sample", "label", "step", "norm", "energy"}, records);
}

}  // namespace eqm::app
