#include "eqm/train/metrics.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "eqm/io/png.h"

namespace eqm {
namespace {

// A line as an object with a step; null when it is not one of ours.
nlohmann::json parse_line(std::string_view line) {
  auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  const bool ours = json.is_object() && json.contains("step") && json["step"].is_number_integer();
  return ours ? json : nlohmann::json();
}

// The lines of ours that tell of a metric.
std::vector<nlohmann::json> lines_with(const RunPaths& paths, const std::string& metric) {
  std::vector<nlohmann::json> found;
  std::error_code ignored;
  if (!std::filesystem::exists(paths.metrics(), ignored)) return found;
  for (const std::string& line : read_lines(paths.metrics())) {
    auto json = parse_line(line);
    if (!json.is_null() && json.contains(metric)) found.push_back(std::move(json));
  }
  return found;
}

}  // namespace

MetricsLog::MetricsLog(const RunPaths& paths, int64_t step)
    : lines_(paths.metrics(),
             [step](std::string_view line) {
               const auto json = parse_line(line);
               return !json.is_null() && json["step"].get<int64_t>() <= step;
             }),
      events_(paths.folder, {.first_step = step > 0 ? step + 1 : 0}) {}

void MetricsLog::write(int64_t step, const MetricValues& values) {
  nlohmann::ordered_json line = {{"step", step}};
  const double now = wall_time_now();
  for (const auto& [name, value] : values) {
    line[name] = std::isfinite(value) ? nlohmann::ordered_json(value) : nullptr;
    events_.scalar(name, step, value, now);
  }
  lines_.append(line.dump());
}

void MetricsLog::flush() {
  lines_.flush();
  events_.flush();
}

void MetricsLog::image(int64_t step, const std::string& name, const Image& picture) {
  events_.image(name, step, picture.width, picture.height, picture.channels, encode_png(picture),
                wall_time_now());
}

MetricSeries read_metric(const RunPaths& paths, const std::string& name) {
  MetricSeries series;
  for (const auto& line : lines_with(paths, name)) {
    if (!line[name].is_number()) continue;
    series.steps.push_back(line["step"].get<int64_t>());
    series.values.push_back(line[name].get<double>());
  }
  return series;
}

bool is_logged(const RunPaths& paths, const std::string& name, int64_t step) {
  const auto lines = lines_with(paths, name);
  return std::ranges::any_of(lines, [step](const auto& line) { return line["step"] == step; });
}

}  // namespace eqm
