#include "eqm/app/score_output.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "eqm/app/averages.h"
#include "eqm/draw/chart.h"
#include "eqm/io/csv_records.h"

namespace eqm::app {
namespace {

constexpr int kBins = 60;

// Scores of noise may be a hundred times those of data; beside them data would be one bar. Positive
// scores that differ so much are shown by their logarithm.
bool wants_logarithm(std::span<const ScoredSet> sets) {
  constexpr double kWide = 8;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const ScoredSet& set : sets) {
    const auto [low, high] = std::ranges::minmax(set.scores);
    least = std::min(least, low);
    most = std::max(most, high);
  }
  return least > 0 && most > kWide * least;
}

// "0.8123 [0.7950, 0.8288]"
std::string ranged_text(const RangedValue& value) {
  return fmt::format("{:.4f} [{:.4f}, {:.4f}]", value.value, value.range.low, value.range.high);
}

std::string detection_cells(const std::optional<Detection>& detection) {
  if (!detection) return fmt::format("  {:>23}  {:>6}  {:>6}", "-", "-", "-");
  return fmt::format("  {:>23}  {:>6.4f}  {:>6.4f}", ranged_text(detection->auroc),
                     detection->aupr.value, detection->fpr95.value);
}

nlohmann::json detection_json(const Detection& detection) {
  const auto ranged = [](const RangedValue& value) {
    return nlohmann::json{{"value", value.value}, {"range", {value.range.low, value.range.high}}};
  };
  return {{"auroc", ranged(detection.auroc)},
          {"aupr", ranged(detection.aupr)},
          {"fpr95", ranged(detection.fpr95)}};
}

}  // namespace

std::optional<Detection> detect_sets(std::vector<ScoredSet>& sets) {
  if (sets.size() < 2) return std::nullopt;
  std::vector<std::vector<double>> outside;
  for (const ScoredSet& set : std::span(sets).subspan(1)) outside.push_back(set.scores);
  const DetectionReport report = detect(sets.front().scores, outside);
  for (size_t i = 0; i < outside.size(); ++i) sets[i + 1].detection = report.sets[i];
  return report.average;
}

std::string score_table(std::span<const ScoredSet> sets, const std::optional<Detection>& average) {
  const bool has_average = average && sets.size() > 2;
  size_t width = has_average ? 7 : 3;
  for (const ScoredSet& set : sets) width = std::max(width, set.name.size());
  std::string table =
      fmt::format("{:<{}}  {:>7}  {:>10}  {:>10}  {:>23}  {:>6}  {:>6}\n", "set", width, "count",
                  "mean", "median", "AUROC [90 %]", "AUPR", "FPR95");
  for (const ScoredSet& set : sets) {
    table +=
        fmt::format("{:<{}}  {:>7}  {:>10.5g}  {:>10.5g}{}\n", set.name, width, set.scores.size(),
                    mean(set.scores), median(set.scores), detection_cells(set.detection));
  }
  if (has_average) {
    table += fmt::format("{:<{}}  {:>7}  {:>10}  {:>10}{}\n", "average", width, "", "", "",
                         detection_cells(average));
  }
  return table;
}

nlohmann::json score_json(std::span<const ScoredSet> sets,
                          const std::optional<Detection>& average) {
  nlohmann::json list = nlohmann::json::array();
  for (const ScoredSet& set : sets) {
    nlohmann::json entry = {{"name", set.name},
                            {"count", set.scores.size()},
                            {"mean", mean(set.scores)},
                            {"median", median(set.scores)}};
    if (set.detection) entry.update(detection_json(*set.detection));
    list.push_back(std::move(entry));
  }
  nlohmann::json all = {{"sets", std::move(list)}};
  if (average) all["average"] = detection_json(*average);
  return all;
}

void write_scores(const std::filesystem::path& path, std::span<const ScoredSet> sets) {
  std::vector<CsvRecord> records;
  for (const ScoredSet& set : sets) {
    for (size_t i = 0; i < set.scores.size(); ++i) {
      records.push_back(
          {set.name, std::to_string(set.indices[i]), fmt::format("{}", set.scores[i])});
    }
  }
  write_csv_records(path, {"set", "index", "score"}, records);
}

draw::Canvas score_figure(std::span<const ScoredSet> sets, const std::string& score) {
  const bool logarithm = wants_logarithm(sets);
  std::vector<draw::Sample> samples;
  for (const ScoredSet& set : sets) {
    draw::Sample& sample = samples.emplace_back(draw::Sample{set.name, set.scores});
    if (set.detection) sample.name += fmt::format(", AUROC {:.3f}", set.detection->auroc.value);
    for (double& value : sample.values) value = logarithm ? std::log10(value) : value;
  }
  draw::Canvas canvas(720, 420);
  draw::histogram(canvas, {.x = 64, .y = 60, .width = 636, .height = 300}, samples, kBins,
                  {.title = "How far from its data a landscape places each set",
                   .subtitle = "the larger the score, the further out of the distribution",
                   .x_label = logarithm ? fmt::format("log10 of the {}", score) : score,
                   .y_label = "examples"});
  return canvas;
}

}  // namespace eqm::app
