#include "eqm/app/landscape_table.h"

#include <fmt/format.h>

namespace eqm::app {
namespace {

// "converged 1960, limit 40 · mean steps 118"
std::string outcome_note(const LandscapeDescent& descent) {
  std::string text;
  for (const auto& [status, count] : descent.outcomes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", status, count);
  }
  return fmt::format("{} · mean steps {:.0f}", text, descent.mean_steps);
}

std::string landscape_row(const std::string& name, double distance, const std::string& note) {
  return fmt::format("{:<24} {:>8.4f}  {}\n", name, distance, note);
}

}  // namespace

std::string landscape_table(const LandscapeResult& result, const LandscapeOptions& options) {
  std::string table = "sliced Wasserstein distance to the data";
  if (result.compared < options.plane.samples) {
    table += fmt::format(", {} points at a time", result.compared);
  }
  table += "\n";
  for (const LandscapeDescent& descent : result.descents) {
    table += landscape_row(descent.objective, descent.distance, outcome_note(descent));
  }
  if (result.fresh_distance) {
    table += landscape_row("fresh data", *result.fresh_distance,
                           "other points of the data: the noise of this number");
  }
  return table + landscape_row("noise", result.noise_distance, "where descent starts");
}

}  // namespace eqm::app
