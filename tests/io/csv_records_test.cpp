#include "eqm/io/csv_records.h"

#include <gtest/gtest.h>

#include "tests/support/content_of.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

std::string written(const CsvRecord& header, const std::vector<CsvRecord>& records) {
  const TemporaryFolder folder;
  write_csv_records(folder / "table.csv", header, records);
  return content_of(folder / "table.csv");
}

TEST(CsvRecords, are_lines_of_cells) {
  EXPECT_EQ(written({"name", "score"}, {{"a b", "1.5"}, {"", "-2"}}), "name,score\na b,1.5\n,-2\n");
  EXPECT_EQ(written({"only"}, {}), "only\n");
}

TEST(CsvRecords, put_cells_with_separators_into_quotes) {
  EXPECT_EQ(written({"a"}, {{"1,2"}, {"say \"so\""}, {"two\nlines"}, {"\r"}}),
            "a\n\"1,2\"\n\"say \"\"so\"\"\"\n\"two\nlines\"\n\"\r\"\n");
}

TEST(CsvRecords, refuse_records_of_another_length_and_write_nothing) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::usage, "1 cells under 2 names", [&] {
    write_csv_records(folder / "t.csv", {"a", "b"}, {{"1", "2"}, {"3"}});
  });
  EXPECT_TRUE(folder.names().empty());
  expect_error(ErrorKind::io, "nowhere",
               [&] { write_csv_records(folder / "nowhere/t.csv", {"a"}, {}); });
}

}  // namespace
}  // namespace eqm::test
