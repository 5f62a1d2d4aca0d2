#include "eqm/app/neighbour_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace eqm::app {
namespace {

// "a/b/000012.png" as "000012.png", "a/images.gz: example 7" as "example 7".
std::string last_part(const std::string& name) {
  const std::string last = name.substr(name.rfind('/') + 1);
  const size_t colon = last.rfind(": ");
  return colon == std::string::npos ? last : last.substr(colon + 2);
}

std::string class_of(const Source& source, const Example& example) {
  const std::vector<std::string>& names = source.class_names();
  if (example.label < 0 || example.label >= static_cast<int64_t>(names.size())) return "";
  return names[static_cast<size_t>(example.label)];
}

CaptionedPicture with_class(const Source& source, int64_t index) {
  CaptionedPicture picture = {.pixels = source.get(index), .caption = {}};
  const std::string name = class_of(source, picture.pixels);
  if (!name.empty()) picture.caption.push_back(name);
  return picture;
}

}  // namespace

CsvRecord neighbour_header() {
  return {"sample", "rank", "index", "name", "class", "distance"};
}

std::vector<CsvRecord> neighbour_records(const Findings& findings) {
  std::vector<CsvRecord> records;
  const Source& data = *findings.data;
  for (size_t i = 0; i < findings.nearest.size(); ++i) {
    const std::string sample = findings.pictures->name_of(static_cast<int64_t>(i));
    int64_t rank = 0;
    for (const auto& [index, distance] : findings.nearest[i]) {
      records.push_back({sample, std::to_string(++rank), std::to_string(index), data.name_of(index),
                         class_of(data, data.get(index)), fmt::format("{}", distance)});
    }
  }
  return records;
}

std::string neighbour_table(const Findings& findings) {
  std::vector<std::string> names;
  size_t width = 7;
  for (size_t i = 0; i < findings.nearest.size(); ++i) {
    names.push_back(last_part(findings.pictures->name_of(static_cast<int64_t>(i))));
    width = std::max(width, names.back().size());
  }
  std::string table =
      fmt::format("{:<{}}  {:>9}  {:>8}  {}\n", "picture", width, "distance", "index", "class");
  double sum = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const Neighbour& first = findings.nearest[i].front();
    table += fmt::format("{:<{}}  {:>9.5f}  {:>8}  {}\n", names[i], width, first.distance,
                         first.index, class_of(*findings.data, findings.data->get(first.index)));
    sum += first.distance;
  }
  return table +
         fmt::format("{:<{}}  {:>9.5f}\n", "mean", width, sum / static_cast<double>(names.size()));
}

std::vector<NeighbourRow> neighbour_rows(const Findings& findings, size_t most) {
  std::vector<NeighbourRow> rows;
  for (size_t i = 0; i < std::min(most, findings.nearest.size()); ++i) {
    const auto index = static_cast<int64_t>(i);
    NeighbourRow& row = rows.emplace_back();
    row.name = last_part(findings.pictures->name_of(index));
    row.pictures.push_back(with_class(*findings.pictures, index));
    for (const auto& [found, distance] : findings.nearest[i]) {
      CaptionedPicture picture = with_class(*findings.data, found);
      picture.caption.insert(picture.caption.begin(), fmt::format("{:.4f}", distance));
      row.pictures.push_back(std::move(picture));
    }
  }
  return rows;
}

}  // namespace eqm::app
