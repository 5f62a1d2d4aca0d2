// Descriptions of text files: options, tables, lines of JSON.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "eqm/app/describe_file.h"
#include "eqm/app/shipped.h"
#include "eqm/base/error.h"
#include "eqm/base/shell_word.h"
#include "eqm/base/toml.h"
#include "eqm/io/csv.h"
#include "eqm/io/jsonl.h"
#include "eqm/io/text.h"

namespace eqm::app {
namespace {

std::vector<std::string> changed_options(const OptionSet& options, const KeyStyle& style) {
  std::vector<std::string> changed;
  for (const Option& option : options.options()) {
    const OptionValue value = option.get();
    if (value != option.standard) {
      changed.push_back(fmt::format("{} {}", style(option.name), in_quotes(to_text(value))));
    }
  }
  return changed;
}

}  // namespace

// The use is the first that takes the file whole.
Description describe_options(const std::filesystem::path& path, const DescriptionStyle& style) {
  std::optional<Error> first_problem;
  std::vector<Use> candidates = style.known_uses;
  // A file that fits none is most likely a recipe with a mistake.
  std::ranges::stable_partition(candidates, [](const Use& use) { return use.name == "train"; });
  for (const Use& use : candidates) {
    OptionSet options;
    const std::shared_ptr<void> values = use.declare(options);
    try {
      read_toml_file(options, path, [](const std::string& base) {
        return find_shipped(ShippedKind::recipe, base);
      });
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::io) throw;
      if (!first_problem) first_problem = error;
      continue;
    }
    Description lines = {{"options", path.string()}, {"for", "eqm " + use.name}};
    std::string topic = "sets";
    for (const std::string& option : changed_options(options, style.option)) {
      lines.emplace_back(std::exchange(topic, ""), option);
    }
    lines.emplace_back("use", fmt::format("eqm {} {} {}", use.name, style.option(use.file_key),
                                          shell_word(path.string())));
    return lines;
  }
  if (first_problem) throw Error(*first_problem);
  throw Error(ErrorKind::internal, "there are no uses whose options a file could hold",
              "give the table of uses");
}

Description describe_table(const std::filesystem::path& path) {
  Description lines = {{"table", path.string()}};
  try {
    const Table table = read_csv(path);
    lines.emplace_back("rows", std::to_string(table.rows()));
    for (int64_t column = 0; column < table.columns; ++column) {
      double least = table.values[static_cast<size_t>(column)], most = least;
      for (int64_t row = 0; row < table.rows(); ++row) {
        const double value = table.values[static_cast<size_t>(row * table.columns + column)];
        least = std::min(least, value);
        most = std::max(most, value);
      }
      const std::string name = table.header.empty()
                                   ? fmt::format("column {}", column + 1)
                                   : in_quotes(table.header[static_cast<size_t>(column)]);
      lines.emplace_back(name, fmt::format("from {:.6g} to {:.6g}", least, most));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    const std::vector<std::string> rows = read_lines(path);  // cells of text, too
    if (rows.empty()) throw;
    lines.emplace_back("rows", std::to_string(rows.size() - 1));
    lines.emplace_back("columns", in_quotes(rows.front()));
  }
  return lines;
}

Description describe_json_lines(const std::filesystem::path& path) {
  const std::vector<std::string> rows = read_lines(path);
  const bool by_line = path.extension() == ".jsonl";
  const std::string text =
      by_line ? (rows.empty() ? "" : rows.back()) : fmt::format("{}", fmt::join(rows, "\n"));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    throw Error(ErrorKind::input, in_quotes(path.string()) + " holds no JSON object",
                by_line ? "each of its lines should be one" : "is the file whole?");
  }
  Description lines = {{by_line ? "lines of JSON" : "JSON", path.string()}};
  if (by_line) lines.emplace_back("lines", std::to_string(rows.size()));
  for (const auto& [key, value] : json.items()) {
    lines.emplace_back(in_quotes(key), in_quotes(value.dump()));
  }
  return lines;
}

}  // namespace eqm::app
