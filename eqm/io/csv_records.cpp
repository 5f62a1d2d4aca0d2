#include "eqm/io/csv_records.h"

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

void append_cell(std::string& line, const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) {
    line += cell;
    return;
  }
  line += '"';
  for (const char letter : cell) {
    if (letter == '"') line += '"';
    line += letter;
  }
  line += '"';
}

std::string line_of(const CsvRecord& record) {
  std::string line;
  for (const std::string& cell : record) {
    append_cell(line, cell);
    line += ',';
  }
  if (!line.empty()) line.back() = '\n';
  return line;
}

}  // namespace

void write_csv_records(const std::filesystem::path& path, const CsvRecord& header,
                       const std::vector<CsvRecord>& records) {
  std::string text = line_of(header);
  for (const CsvRecord& record : records) {
    if (record.size() != header.size()) {
      throw Error(ErrorKind::usage,
                  fmt::format("cannot write {}: {} cells under {} names", in_quotes(path.string()),
                              record.size(), header.size()),
                  "every record has as many cells as the header");
    }
    text += line_of(record);
  }
  write_file(path, text);
}

}  // namespace eqm
