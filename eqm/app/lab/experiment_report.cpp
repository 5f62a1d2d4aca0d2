#include "eqm/app/lab/experiment_report.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "eqm/app/figure_file.h"
#include "eqm/base/version.h"
#include "eqm/draw/bar_chart.h"
#include "eqm/draw/chart.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/csv_records.h"

namespace eqm::app {
namespace {

const ExperimentCurve& asked_curve(const ExperimentResult& result, const std::string& name) {
  return *std::ranges::find(result.experiment.curves, name, &ExperimentCurve::name);
}

bool has_paper_numbers(const ExperimentResult& result) {
  return std::ranges::any_of(result.experiment.curves,
                             [](const ExperimentCurve& curve) { return !curve.paper.empty(); });
}

bool has_choices(const ExperimentResult& result) {
  return std::ranges::any_of(result.curves, [](const ResultCurve& curve) {
    return std::ranges::any_of(curve.points,
                               [](const ResultPoint& point) { return !point.chosen.empty(); });
  });
}

std::vector<std::string> table_header(const ExperimentResult& result) {
  std::vector<std::string> header = {""};
  if (!result.axis.empty()) header.push_back(result.axis);
  header.insert(header.end(), result.numbers.begin(), result.numbers.end());
  if (has_choices(result)) header.emplace_back("best at");
  if (has_paper_numbers(result)) header.emplace_back("paper");
  return header;
}

std::vector<std::vector<std::string>> table_rows(const ExperimentResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const ResultCurve& curve : result.curves) {
    for (const ResultPoint& point : curve.points) {
      std::vector<std::string>& row = rows.emplace_back();
      row.push_back(curve.name);
      if (!result.axis.empty()) row.push_back(point.point);
      for (const std::string& number : result.numbers) {
        const Estimate* found = find_estimate(point.numbers, number);
        row.push_back(found ? text_of(*found) : "");
      }
      if (has_choices(result)) row.push_back(point.chosen);
      if (!has_paper_numbers(result)) continue;
      const auto paper = paper_number(asked_curve(result, curve.name), point.point);
      row.push_back(paper ? fmt::format("{}", *paper) : "");
    }
  }
  return rows;
}

std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string text = fmt::format("| {} |\n|", fmt::join(header, " | "));
  for (size_t i = 0; i < header.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : rows) text += fmt::format("| {} |\n", fmt::join(row, " | "));
  return text;
}

std::string claim_lines(const ExperimentResult& result) {
  std::string text;
  for (const ClaimResult& claim : result.claims) {
    text += fmt::format("- **{}**: {} ({}{})\n", name_of(claim.verdict), claim.claim.text,
                        claim.numbers,
                        claim.claim.paper.empty() ? "" : "; paper: " + claim.claim.paper);
  }
  return text;
}

// How far the numbers can be trusted: "Scale small, 1 seed; 90 % intervals in brackets".
std::string setting_text(const ExperimentResult& result) {
  return fmt::format(
      "Scale {}{}, {} seed{}; 90 % intervals in brackets", result.scale,
      result.scale == "tiny" ? " (a test of the machinery: the numbers mean nothing)" : "",
      result.seeds, result.seeds == 1 ? "" : "s");
}

nlohmann::json estimate_json(const Estimate& estimate) {
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

nlohmann::json result_json(const ExperimentResult& result) {
  nlohmann::json curves = nlohmann::json::array(), claims = nlohmann::json::array();
  for (const ResultCurve& curve : result.curves) {
    nlohmann::json points = nlohmann::json::array();
    for (const ResultPoint& point : curve.points) {
      nlohmann::json numbers = nlohmann::json::object();
      for (const auto& [name, estimate] : point.numbers) numbers[name] = estimate_json(estimate);
      points.push_back({{"point", point.point}, {"chosen", point.chosen}, {"numbers", numbers}});
      if (const auto paper = paper_number(asked_curve(result, curve.name), point.point)) {
        points.back()["paper"] = *paper;
      }
    }
    curves.push_back({{"name", curve.name}, {"points", points}});
  }
  for (const ClaimResult& claim : result.claims) {
    claims.push_back({{"text", claim.claim.text},
                      {"that", claim.claim.that},
                      {"verdict", name_of(claim.verdict)},
                      {"numbers", claim.numbers},
                      {"paper", claim.claim.paper}});
  }
  return {{"experiment", result.experiment.name},
          {"title", result.experiment.title},
          {"place", result.experiment.place},
          {"scale", result.scale},
          {"seeds", result.seeds},
          {"axis", result.axis},
          {"curves", curves},
          {"claims", claims},
          {"program", software_name()}};
}

std::optional<double> place_on_axis(const std::string& point) {
  double value = 0;
  const auto [end, error] = std::from_chars(point.data(), point.data() + point.size(), value);
  if (error != std::errc() || end != point.data() + point.size()) return std::nullopt;
  return value;
}

bool is_numeric_axis(const ExperimentResult& result) {
  if (result.axis.empty()) return false;
  for (const ResultCurve& curve : result.curves) {
    for (const ResultPoint& point : curve.points) {
      if (!place_on_axis(point.point)) return false;
    }
  }
  return true;
}

draw::Canvas curves_figure(const ExperimentResult& result, const draw::ChartOptions& labels) {
  draw::ChartOptions options = labels;
  options.dots = true;
  std::vector<draw::Series> series;
  for (const ResultCurve& curve : result.curves) {
    draw::Series& line = series.emplace_back();
    line.name = curve.name;
    draw::Band band;
    band.colour = draw::category(series.size() - 1).with_alpha(0.18);
    for (const ResultPoint& point : curve.points) {
      const Estimate* found = find_estimate(point.numbers, result.numbers.front());
      if (!found) continue;
      line.x.push_back(*place_on_axis(point.point));
      line.y.push_back(found->value);
      band.x.push_back(line.x.back());
      band.low.push_back(found->low);
      band.high.push_back(found->high);
    }
    options.bands.push_back(std::move(band));
  }
  draw::Canvas canvas(720, 440);
  draw::line_chart(canvas, {.x = 70, .y = 56, .width = 620, .height = 324}, series, options);
  return canvas;
}

draw::Canvas bars_figure(const ExperimentResult& result, const draw::ChartOptions& labels) {
  std::vector<draw::Bar> bars;
  for (const ResultCurve& curve : result.curves) {
    for (const ResultPoint& point : curve.points) {
      const Estimate* found = find_estimate(point.numbers, result.numbers.front());
      if (!found) continue;
      const std::string name =
          point.point.empty() ? curve.name : fmt::format("{} {}", curve.name, point.point);
      bars.push_back({.name = name, .value = found->value, .low = found->low, .high = found->high});
    }
  }
  draw::Canvas canvas(720, static_cast<int>(110 + 30 * bars.size()));
  draw::bar_chart(
      canvas, {.x = 180, .y = 56, .width = 500, .height = 30.0 * static_cast<double>(bars.size())},
      bars, labels);
  return canvas;
}

}  // namespace

std::string report_text(const ExperimentResult& result) {
  const Experiment& it = result.experiment;
  return fmt::format("## {}\n\n{}{} {}.\n\n{}\n{}", it.title,
                     it.place.empty() ? "" : "Paper: " + it.place + ". ", it.about,
                     setting_text(result), markdown_table(table_header(result), table_rows(result)),
                     claim_lines(result));
}

draw::Canvas report_figure(const ExperimentResult& result) {
  const Experiment& it = result.experiment;
  const draw::ChartOptions labels = {
      .title = it.title,
      .subtitle = fmt::format("scale {}, {} seed{}; 90 % intervals", result.scale, result.seeds,
                              result.seeds == 1 ? "" : "s"),
      .x_label = it.x_label.empty() ? result.axis : it.x_label,
      .y_label = it.y_label.empty() ? result.numbers.front() : it.y_label,
      .x_scale = it.log_x ? draw::Scale::log : draw::Scale::linear,
      .y_scale = it.log_y ? draw::Scale::log : draw::Scale::linear};
  return is_numeric_axis(result) ? curves_figure(result, labels) : bars_figure(result, labels);
}

std::vector<std::string> write_report(const std::filesystem::path& folder,
                                      const ExperimentResult& result) {
  write_file(folder / "table.md", report_text(result));
  write_csv_records(folder / "table.csv", table_header(result), table_rows(result));
  write_file(folder / "result.json", result_json(result).dump(2) + "\n");
  write_figure(folder / "figure", report_figure(result),
               {{"Software", software_name()}, {"Title", result.experiment.title}});
  return {"table.md", "table.csv", "result.json", "figure.png", "figure.svg"};
}

std::string summary_text(std::span<const ExperimentResult> results) {
  std::vector<std::vector<std::string>> rows;
  for (const ExperimentResult& result : results) {
    for (const ClaimResult& claim : result.claims) {
      rows.push_back({result.experiment.name, claim.claim.text, std::string(name_of(claim.verdict)),
                      claim.numbers, claim.claim.paper});
    }
  }
  std::string text;
  if (!results.empty()) text = setting_text(results.front()) + ".\n\n";
  return text + markdown_table({"experiment", "claim", "verdict", "measured", "paper"}, rows);
}

}  // namespace eqm::app
