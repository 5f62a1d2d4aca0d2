#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/csv.h"
#include "eqm/io/csv_cell.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// Rows are handed over in pieces of this size, so a large table is not held twice.
constexpr size_t kCsvPiece = size_t{1} << 20;

[[noreturn]] void refuse_table(const std::filesystem::path& path, std::string_view problem,
                               std::string hint) {
  throw Error(ErrorKind::usage,
              fmt::format("cannot write {}: {}", in_quotes(path.string()), problem),
              std::move(hint));
}

// Whether the reader would give the same name back.
bool is_column_name(const std::string& name) {
  if (name.empty() || !is_utf8(name)) return false;
  for (const char c : name) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20;
    if (is_control || std::string_view(",;\"#").find(c) != std::string_view::npos) return false;
  }
  return trimmed(name) == name && !name.starts_with("\xEF\xBB\xBF") &&
         parse_cell(name).kind == CellKind::not_a_number;
}

void check(const std::filesystem::path& path, const std::vector<std::string>& header,
           std::span<const double> values, int64_t columns) {
  if (columns <= 0 || values.size() % static_cast<uint64_t>(columns) != 0) {
    refuse_table(path,
                 fmt::format("{} values do not fill rows of {} columns", values.size(), columns),
                 "the number of values is rows times columns");
  }
  if (!header.empty() && header.size() != static_cast<uint64_t>(columns)) {
    refuse_table(path, fmt::format("{} names for {} columns", header.size(), columns),
                 "give one name per column, or none");
  }
  for (const std::string& name : header) {
    if (!is_column_name(name)) {
      refuse_table(path, in_quotes(name) + " cannot name a column",
                   "a name is text without separators, quotes and '#', and not a number");
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const auto width = static_cast<uint64_t>(columns);
    throw Error(ErrorKind::numeric,
                fmt::format("cannot write {}: row {} column {} is {}", in_quotes(path.string()),
                            i / width + 1, i % width + 1, values[i]),
                "an earlier computation overflowed or gave NaN");
  }
}

}  // namespace

void write_csv(const std::filesystem::path& path, const std::vector<std::string>& header,
               std::span<const double> values, int64_t columns) {
  check(path, header, values, columns);
  AtomicFile file(path);
  std::string piece;
  if (!header.empty()) piece = fmt::format("{}\n", fmt::join(header, ","));
  const auto width = static_cast<size_t>(columns);
  for (size_t i = 0; i < values.size(); ++i) {
    append_number(piece, values[i]);
    piece.push_back((i + 1) % width == 0 ? '\n' : ',');
    if (piece.size() < kCsvPiece) continue;
    file.write(piece);
    piece.clear();
  }
  file.write(piece);
  file.commit();
}

}  // namespace eqm
