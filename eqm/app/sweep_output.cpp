#include "eqm/app/sweep_output.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "eqm/app/figure_file.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "eqm/draw/chart.h"
#include "eqm/io/csv_records.h"

namespace eqm::app {
namespace {

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What a point has in common with others of its curve: its values on all axes but one.
std::string curve_of(const std::vector<Axis>& axes, const GridPoint& point, size_t left_out) {
  std::vector<std::string> words;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i == left_out || axes[i].values.size() < 2) continue;
    const std::string& shown = axes[i].shown_as(point[i]);
    words.push_back(axes[i].shown.empty() ? axes[i].name + " " + shown : shown);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// Distances compare only between equal counts, and a singular covariance adds most of them.
std::string counts_of(const SweepSubject& subject) {
  if (subject.floor) {
    return fmt::format("{} samples at each point, {} pictures for the line of real data",
                       subject.samples, subject.samples);
  }
  const bool few = subject.samples <= subject.features;
  return fmt::format(
      "{} samples at each point{}", subject.samples,
      few ? fmt::format(", too few for {} features: compare with care", subject.features) : "");
}

// The distance over `x`, a curve for each combination of the other axes, and that of real data.
draw::Canvas chart_of(const std::vector<Axis>& axes, std::vector<Measured> measured,
                      const SweepSubject& subject, size_t left_out, const std::string& x_label,
                      const std::function<double(const Measured&)>& x) {
  std::ranges::stable_sort(measured, {}, x);
  std::vector<draw::Series> series;
  for (const GridPoint& point : points_of(axes)) {  // in their order, not that of x
    const std::string name = curve_of(axes, point, left_out);
    const auto same = [&](const draw::Series& other) { return other.name == name; };
    if (std::ranges::any_of(series, same)) continue;
    draw::Series& curve = series.emplace_back(draw::Series{.name = name});
    for (const Measured& one : measured) {
      if (curve_of(axes, one.point, left_out) != name) continue;
      curve.x.push_back(x(one));
      curve.y.push_back(one.quality.distance);
    }
  }
  if (subject.floor) {
    if (series.front().name.empty()) series.front().name = "samples";
    series.push_back({.name = "real data",
                      .x = {x(measured.front()), x(measured.back())},
                      .y = {*subject.floor, *subject.floor}});
  }
  draw::Canvas canvas(720, 440);
  draw::line_chart(canvas, {.x = 70, .y = 50, .width = 620, .height = 330}, series,
                   {.title = "Distance between samples and data",
                    .subtitle = counts_of(subject),
                    .x_label = x_label,
                    .y_label = "Fréchet distance",
                    .y_scale = draw::Scale::log,
                    .dots = true});
  return canvas;
}

}  // namespace

SweepStore::SweepStore(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;  // then the writing will tell
  if (!std::filesystem::exists(path, ignored)) return;
  for (const std::string& line : read_lines(path)) {
    try {
      const auto json = nlohmann::json::parse(line);
      Quality& quality = known_[json.at("setting").dump()];
      quality = {.distance = json.at("distance"),
                 .accuracy = {},
                 .evaluations = json.at("evaluations"),
                 .seconds = json.at("seconds"),
                 .diverged = json.at("diverged")};
      if (json.contains("accuracy")) quality.accuracy = json.at("accuracy").get<double>();
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorKind::input,
                  fmt::format("'{}' holds a line that is no measurement", path.string()),
                  "move the file away, or choose another {out}");
    }
  }
}

const Quality* SweepStore::find(const std::string& setting) const {
  const auto found = known_.find(setting);
  return found == known_.end() ? nullptr : &found->second;
}

void SweepStore::add(const std::string& setting, const Quality& quality) {
  nlohmann::json line = {{"setting", nlohmann::json::parse(setting)},
                         {"distance", quality.distance},
                         {"evaluations", quality.evaluations},
                         {"seconds", quality.seconds},
                         {"diverged", quality.diverged}};
  if (quality.accuracy) line["accuracy"] = *quality.accuracy;
  if (!log_) log_.emplace(path_);
  log_->append(line.dump());
  known_[setting] = quality;
}

void write_sweep(const std::filesystem::path& folder, const std::vector<Axis>& axes,
                 const std::vector<Measured>& measured, const SweepSubject& subject) {
  CsvRecord header;
  for (const Axis& axis : axes) header.push_back(axis.name);
  for (const char* name : {"distance", "right", "evaluations", "seconds", "diverged"}) {
    header.emplace_back(name);
  }
  std::vector<CsvRecord> records;
  for (const Measured& one : measured) {
    CsvRecord record = one.point;
    const Quality& quality = one.quality;
    record.push_back(fmt::format("{}", quality.distance));
    record.push_back(quality.accuracy ? fmt::format("{}", *quality.accuracy) : "");
    record.push_back(fmt::format("{}", quality.evaluations));
    record.push_back(fmt::format("{}", quality.seconds));
    record.push_back(std::to_string(quality.diverged));
    records.push_back(std::move(record));
  }
  write_csv_records(folder / "sweep.csv", header, records);
  const PngText origin = {{"Software", software_name()}};
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool numbers = std::ranges::all_of(
        axes[i].values, [](const auto& value) { return number_in(value).has_value(); });
    if (!numbers || axes[i].values.size() < 2) continue;
    write_figure(folder / ("by-" + axes[i].name),
                 chart_of(axes, measured, subject, i, axes[i].name,
                          [i](const Measured& one) { return *number_in(one.point[i]); }),
                 origin);
  }
  if (measured.size() < 2) return;
  // Along the last axis, which is the one that changes fastest.
  write_figure(folder / "by-evaluations",
               chart_of(axes, measured, subject, axes.size() - 1, "evaluations per sample",
                        [](const Measured& one) { return one.quality.evaluations; }),
               origin);
}

}  // namespace eqm::app
