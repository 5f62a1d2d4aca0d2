#include "eqm/app/describe_results.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "eqm/io/jsonl.h"
#include "eqm/io/png.h"
#include "eqm/io/text.h"

namespace eqm::app {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 16;

struct ResultKind {
  const char* what;
  const char* verb;
  const char* marker;   // the file by which they are known
  const char* records;  // what a line of it is; null where lines say nothing
  bool header;          // whether its first line names columns
  const char* picture;  // whose texts say how they were made; may be missing
};

// A folder of several is the first of these that fits. A training run is none.
constexpr std::array kResultKinds = {
    ResultKind{"a landscape", "landscape", "landscape.png", nullptr, false, "landscape.png"},
    ResultKind{"samples", "sample", "samples.jsonl", "samples", false, "grid.png"},
    ResultKind{"a sweep", "sweep", "sweep.jsonl", "settings", false, "by-evaluations.png"},
    ResultKind{"an evaluation", "evaluate", "evaluation.json", nullptr, false, "evaluation.png"},
    ResultKind{"denoised images", "denoise", "denoise.csv", "images", true, "denoise.png"},
    ResultKind{"neighbours", "neighbours", "neighbours.csv", "rows", true, "neighbours.png"},
    ResultKind{"scores", "score", "scores.csv", "examples", true, "histogram.png"},
};

bool is_result_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// "3 converged, 1 limit", where lines have a status.
std::string statuses_of(const std::vector<std::string>& rows) {
  std::map<std::string, int64_t> counts;
  for (const std::string& row : rows) {
    const auto json = nlohmann::json::parse(row, nullptr, false);
    const auto status = json.is_object() ? json.find("status") : json.end();
    if (status != json.end() && status->is_string()) ++counts[status->get<std::string>()];
  }
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts) parts.push_back(fmt::format("{} {}", count, status));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string files_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const bool inner = entry->is_directory(ignored);
    names.push_back(entry->path().filename().string() + (inner ? "/" : ""));
  }
  std::ranges::sort(names);
  const size_t more = names.size() > kMostFiles ? names.size() - kMostFiles : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

// The texts of a picture are written by the verb; a damaged one says nothing here.
void add_origin(const fs::path& picture, Description& lines) {
  if (!is_result_file(picture)) return;
  PngText text;
  try {
    read_png(picture, &text);
  } catch (const Error&) {
    return;
  }
  for (const auto& [keyword, content] : text) lines.emplace_back(keyword, in_quotes(content));
}

Description describe_kind(const ResultKind& kind, const fs::path& folder) {
  Description lines = {{"results", folder.string()},
                       {"what", fmt::format("{}, by `eqm {}`", kind.what, kind.verb)}};
  if (kind.records != nullptr) {
    const std::vector<std::string> rows = read_lines(folder / kind.marker);
    const size_t count = rows.size() - (kind.header && !rows.empty() ? 1 : 0);
    const std::string statuses = kind.header ? "" : statuses_of(rows);
    lines.emplace_back(kind.records,
                       fmt::format("{}{}{}", count, statuses.empty() ? "" : ": ", statuses));
  }
  add_origin(folder / kind.picture, lines);
  lines.emplace_back("files", files_in(folder));
  return lines;
}

}  // namespace

std::optional<Description> describe_results(const fs::path& folder) {
  for (const ResultKind& kind : kResultKinds) {
    if (is_result_file(folder / kind.marker)) return describe_kind(kind, folder);
  }
  return std::nullopt;
}

}  // namespace eqm::app
