// Tables of numbers as text. Reads what people and programs call CSV: commas, semicolons, tabs or
// spaces between cells, an optional line of column names, '#' comments, blank lines, CRLF, a UTF-8
// mark. Every cell must be a finite number; anything else is an error of kind input that names the
// line. Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eqm {

// Four gigabytes of numbers at worst. Larger sets belong in a binary format, which loads a hundred
// times faster.
inline constexpr uint64_t kMaxCsvBytes = uint64_t{1} << 30;

struct Table {
  std::vector<std::string> header;  // one name per column, or empty
  int64_t columns = 0;
  std::vector<double> values;  // [rows, columns]

  int64_t rows() const { return columns == 0 ? 0 : static_cast<int64_t>(values.size()) / columns; }
};

// The first line that is not a comment settles the separator (semicolon before comma before blanks)
// and is the header if none of its cells is a number. Cells may stand in double quotes, but quoted
// separators are not understood.
Table read_csv(const std::filesystem::path& path,
               std::optional<int64_t> expected_columns = std::nullopt);

// The same from memory; `source` is named in errors.
Table parse_csv(std::string_view text, const std::string& source,
                std::optional<int64_t> expected_columns = std::nullopt);

// Atomic (see AtomicFile); commas, and the shortest digits that read back to the same double.
// `header` is empty or has one name per column, such as read_csv would take for a header. Kind
// usage when the sizes or names do not fit, kind numeric for a value that is not finite. Without
// values only the header is written, and read_csv will refuse it.
void write_csv(const std::filesystem::path& path, const std::vector<std::string>& header,
               std::span<const double> values, int64_t columns);

}  // namespace eqm
