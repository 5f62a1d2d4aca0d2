#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/csv.h"
#include "eqm/io/csv_cell.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

constexpr char kBlanks = ' ';  // stands for runs of spaces and tabs

char separator_of(std::string_view line) {
  if (line.find(';') != std::string_view::npos) return ';';
  if (line.find(',') != std::string_view::npos) return ',';
  return kBlanks;
}

// `line` is trimmed and not empty.
void split(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  cells.clear();
  while (true) {
    const size_t end = separator == kBlanks ? line.find_first_of(" \t") : line.find(separator);
    std::string_view cell = trimmed(line.substr(0, end));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
      cell = trimmed(cell.substr(1, cell.size() - 2));
    }
    cells.push_back(cell);
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
    if (separator == kBlanks) line = trimmed(line);
  }
}

class CsvReader {
 public:
  CsvReader(const std::string& source, std::optional<int64_t> expected_columns)
      : source_(source), expected_columns_(expected_columns) {}

  Table read(std::string_view text) {
    if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
    while (!text.empty()) {
      ++line_number_;
      const size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!table_.values.empty()) return std::move(table_);
    throw Error(ErrorKind::input, fmt::format("{} has no rows of numbers", in_quotes(source_)),
                "give one row per line, numbers separated by commas");
  }

 private:
  void read_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\0') != std::string_view::npos) {
      refuse("holds a zero byte", "the file is binary or UTF-16; save it as plain UTF-8 text");
    }
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) return;
    const bool first = separator_ == 0;
    if (first) separator_ = separator_of(line);
    split(line, separator_, cells_);
    if (!first) return add_row();
    check_expected();
    table_.columns = static_cast<int64_t>(cells_.size());
    if (is_header()) return take_header();
    add_row();
  }

  bool is_header() const {
    return std::all_of(cells_.begin(), cells_.end(), [](std::string_view cell) {
      return parse_cell(cell).kind == CellKind::not_a_number;
    });
  }

  void take_header() {
    for (const std::string_view cell : cells_) {
      if (!is_utf8(cell)) refuse("has a column name that is not UTF-8", "save the file as UTF-8");
      table_.header.emplace_back(cell);
    }
  }

  void check_expected() const {
    const auto found = static_cast<int64_t>(cells_.size());
    if (!expected_columns_ || found == *expected_columns_) return;
    refuse(fmt::format("has {} columns where {} are expected", found, *expected_columns_),
           "check the separator, and that the file holds the data you mean");
  }

  void add_row() {
    const auto found = static_cast<int64_t>(cells_.size());
    if (found != table_.columns) {
      refuse(fmt::format("has {} columns where the lines before have {}", found, table_.columns),
             "every row needs the same number of cells");
    }
    for (const std::string_view cell : cells_) table_.values.push_back(number_in(cell));
  }

  double number_in(std::string_view text) const {
    const Cell cell = parse_cell(text);
    switch (cell.kind) {
      case CellKind::number:
        return cell.value;
      case CellKind::not_a_number:
        refuse(fmt::format("holds {} where a number should be", in_quotes(text)),
               "decimals take a point; text belongs in the first line or after '#'");
      case CellKind::not_finite:
        refuse(fmt::format("holds {}, which is not a finite number", in_quotes(text)),
               "remove the rows with missing or infinite values");
      case CellKind::out_of_range:
        refuse(fmt::format("holds {}, which is outside the range of a double", in_quotes(text)),
               "rescale the column");
    }
    refuse("is not understood", "write numbers, separated by commas");
  }

  [[noreturn]] void refuse(std::string_view problem, std::string hint) const {
    throw Error(ErrorKind::input,
                fmt::format("{} line {} {}", in_quotes(source_), line_number_, problem),
                std::move(hint));
  }

  const std::string& source_;
  std::optional<int64_t> expected_columns_;
  Table table_;
  char separator_ = 0;  // 0 until the first line settles it
  int64_t line_number_ = 0;
  std::vector<std::string_view> cells_;
};

}  // namespace

Table parse_csv(std::string_view text, const std::string& source,
                std::optional<int64_t> expected_columns) {
  if (text.size() > kMaxCsvBytes) {
    throw Error(ErrorKind::input,
                fmt::format("{} has {} bytes; {} are allowed for text", in_quotes(source),
                            text.size(), kMaxCsvBytes),
                "store large sets of numbers as safetensors");
  }
  return CsvReader(source, expected_columns).read(text);
}

Table read_csv(const std::filesystem::path& path, std::optional<int64_t> expected_columns) {
  return parse_csv(MappedFile::open(path).text(), path.string(), expected_columns);
}

}  // namespace eqm
