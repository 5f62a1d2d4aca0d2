#include "eqm/app/evaluation_output.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/app/quality.h"
#include "eqm/codec/pictures.h"
#include "eqm/codec/states.h"
#include "eqm/data/pick_source.h"

namespace eqm::app {
namespace {

constexpr int64_t kShown = 10;  // of the best, and of the worst

using Cells = std::vector<std::string>;

// Fills a column; empty where a set has no such number.
template <class Cell>
Cells column(const std::string& title, const std::vector<EvaluatedSet>& sets, const Cell& cell) {
  Cells cells = {title};
  for (const EvaluatedSet& set : sets) cells.push_back(cell(set.evaluation));
  return cells;
}

Cells manifold_column(const std::string& title, const std::vector<EvaluatedSet>& sets,
                      double ManifoldScores::*score) {
  return column(title, sets, [&](const Evaluation& e) {
    return e.manifold ? fmt::format("{:.3f}", (*e.manifold).*score) : "";
  });
}

// Letters, not bytes: what follows the first byte of a letter in UTF-8 begins with the bits 10.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char letter) { return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U; }));
}

// Empty where nothing was resampled.
std::string range_text(const Interval& range) {
  return range.low < range.high ? fmt::format("{:.2f} to {:.2f}", range.low, range.high) : "";
}

Tensor pictures_at(const SourcePtr& source, const Tensor& places) {
  const Tensor chosen = places.contiguous();
  const auto* first = chosen.data_ptr<int64_t>();
  const SourcePtr some = pick_source(source, {first, first + chosen.numel()});
  return states_of(read_batch(*some, 0, some->size()), Scaling::pixels(), torch::kFloat64);
}

}  // namespace

std::string evaluation_table(const std::vector<EvaluatedSet>& sets, const std::string& distance) {
  Cells names = {""};
  for (const EvaluatedSet& set : sets) names.push_back(set.name);
  std::vector<Cells> columns = {
      names,
      column("count", sets, [](const Evaluation& e) { return std::to_string(e.count); }),
      column(distance, sets, [](const Evaluation& e) { return fmt::format("{:.2f}", e.distance); }),
      column("90 % range", sets, [](const Evaluation& e) { return range_text(e.distance_range); }),
      column("sFID", sets,
             [](const Evaluation& e) {
               return e.spatial_distance ? fmt::format("{:.2f}", *e.spatial_distance) : "";
             }),
      column("KID", sets,
             [](const Evaluation& e) {
               return e.kernel_distance ? fmt::format("{:.3g} ± {:.2g}", e.kernel_distance->mean,
                                                      e.kernel_distance->deviation)
                                        : "";
             }),
      column("IS", sets,
             [](const Evaluation& e) { return fmt::format("{:.2f}", e.inception_score); }),
      manifold_column("prec.", sets, &ManifoldScores::precision),
      manifold_column("recall", sets, &ManifoldScores::recall),
      manifold_column("density", sets, &ManifoldScores::density),
      manifold_column("coverage", sets, &ManifoldScores::coverage),
      column("right", sets, [](const Evaluation& e) { return percent_text(e.accuracy); })};
  std::erase_if(columns, [](const Cells& cells) {
    return std::all_of(cells.begin() + 1, cells.end(),
                       [](const auto& cell) { return cell.empty(); });
  });
  std::string text;
  for (size_t row = 0; row <= sets.size(); ++row) {
    for (size_t i = 0; i < columns.size(); ++i) {
      size_t width = 0;
      for (const std::string& cell : columns[i]) width = std::max(width, width_of(cell));
      const std::string room(width - width_of(columns[i][row]), ' ');
      text += i == 0 ? columns[i][row] + room : "  " + room + columns[i][row];
    }
    text += '\n';
  }
  return text;
}

nlohmann::json evaluation_json(const std::vector<EvaluatedSet>& sets) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [name, e] : sets) {
    nlohmann::json figures = {{"name", name},
                              {"count", e.count},
                              {"frechet_distance", e.distance},
                              {"frechet_range", {e.distance_range.low, e.distance_range.high}},
                              {"inception_score", e.inception_score}};
    if (e.spatial_distance) figures["spatial_frechet_distance"] = *e.spatial_distance;
    if (e.kernel_distance) {
      figures["kernel_distance"] = e.kernel_distance->mean;
      figures["kernel_deviation"] = e.kernel_distance->deviation;
    }
    if (e.manifold) {
      figures["precision"] = e.manifold->precision;
      figures["recall"] = e.manifold->recall;
      figures["density"] = e.manifold->density;
      figures["coverage"] = e.manifold->coverage;
    }
    if (e.accuracy) figures["accuracy"] = *e.accuracy;
    list.push_back(std::move(figures));
  }
  return list;
}

Image best_and_worst(const SourcePtr& samples, const SourcePtr& real, const Nearest& nearest) {
  const Tensor order = nearest.distances.argsort();
  const int64_t shown = std::min(kShown, (order.size(0) + 1) / 2);
  std::vector<Tensor> rows;
  for (const Tensor& places : {order.narrow(0, 0, shown), order.flip(0).narrow(0, 0, shown)}) {
    rows.push_back(pictures_at(samples, places));
    rows.push_back(pictures_at(real, nearest.places.index_select(0, places)));
  }
  // All as large as the samples, and in colour where one is.
  const Shape size = {rows.front().size(2), rows.front().size(3)};
  const int64_t channels = std::max(rows[0].size(1), rows[1].size(1));
  for (Tensor& row : rows) {
    row = row.expand({-1, channels, -1, -1});
    if (row.size(2) == size[0] && row.size(3) == size[1]) continue;
    row = torch::upsample_bilinear2d(row, size, /*align_corners=*/false);
  }
  return picture_grid(torch::cat(rows), Scaling::pixels(), shown,
                      {"best", "nearest", "worst", "nearest"}, "");
}

}  // namespace eqm::app
