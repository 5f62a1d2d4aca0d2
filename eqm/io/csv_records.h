// Tables whose cells may be text: names of files and classes beside numbers. Commas between cells;
// a cell that holds one, or a quote or a line end, stands in double quotes (RFC 4180). For tables
// of numbers alone there is csv.h, which also reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace eqm {

using CsvRecord = std::vector<std::string>;

// Atomic (see AtomicFile). Kind usage when a record has not as many cells as the header.
void write_csv_records(const std::filesystem::path& path, const CsvRecord& header,
                       const std::vector<CsvRecord>& records);

}  // namespace eqm
