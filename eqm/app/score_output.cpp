#include "eqm/app/score_output.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "eqm/app/averages.h"
#include "eqm/draw/chart.h"
#include "eqm/io/csv_records.h"
#include "eqm/measure/auroc.h"

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

}  // namespace

std::string score_table(std::span<const ScoredSet> sets) {
  size_t width = 3;
  for (const ScoredSet& set : sets) width = std::max(width, set.name.size());
  std::string table = fmt::format("{:<{}}  {:>7}  {:>10}  {:>10}  {:>6}\n", "set", width, "count",
                                  "mean", "median", "AUROC");
  for (const ScoredSet& set : sets) {
    const bool is_first = &set == &sets.front();
    table +=
        fmt::format("{:<{}}  {:>7}  {:>10.5g}  {:>10.5g}  {:>6}\n", set.name, width,
                    set.scores.size(), mean(set.scores), median(set.scores),
                    is_first ? "-" : fmt::format("{:.4f}", auroc(sets.front().scores, set.scores)));
  }
  return table;
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
    if (&set != &sets.front()) {
      sample.name += fmt::format(", AUROC {:.3f}", auroc(sets.front().scores, set.scores));
    }
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
