#include "eqm/train/metrics.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "eqm/io/png.h"

namespace eqm {
namespace {

// The step a line is about; past every step when the line is not ours.
int64_t step_of(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) {
    return std::numeric_limits<int64_t>::max();
  }
  return json["step"].get<int64_t>();
}

}  // namespace

MetricsLog::MetricsLog(const RunPaths& paths, int64_t step)
    : lines_(paths.metrics(), [step](std::string_view line) { return step_of(line) <= step; }),
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

void MetricsLog::image(int64_t step, const std::string& name, const Image& picture) {
  events_.image(name, step, picture.width, picture.height, picture.channels, encode_png(picture),
                wall_time_now());
}

MetricSeries read_metric(const RunPaths& paths, const std::string& name) {
  MetricSeries series;
  if (!std::filesystem::exists(paths.metrics())) return series;
  for (const std::string& line : read_lines(paths.metrics())) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains(name) || !json[name].is_number()) continue;
    series.steps.push_back(step_of(line));
    series.values.push_back(json[name].get<double>());
  }
  return series;
}

}  // namespace eqm
