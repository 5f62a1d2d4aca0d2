#include "eqm/io/csv.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/mapped_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::TemporaryFolder;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

Table parse(std::string_view text, std::optional<int64_t> columns = std::nullopt) {
  return parse_csv(text, "made.csv", columns);
}

void expect_refused(const std::string& part, const std::string& text,
                    std::optional<int64_t> columns = std::nullopt) {
  expect_input_error(part, [&] { parse(text, columns); });
}

TEST(Csv, reads_every_separator) {
  for (const char* text : {"1,2\n3,4\n", "1;2\n3;4\n", "1 2\n3 4\n", "1\t2\n3\t4\n",
                           "1 , 2\n3 ,\t4\n", "  1   2 \n\t3 \t 4", "1; 2\n3 ;4"}) {
    const Table table = parse(text);
    EXPECT_EQ(table.columns, 2) << text;
    EXPECT_EQ(table.rows(), 2) << text;
    EXPECT_EQ(table.values, (Values{1, 2, 3, 4})) << text;
    EXPECT_TRUE(table.header.empty()) << text;
  }
}

TEST(Csv, takes_a_first_line_without_numbers_as_header) {
  const Table table = parse("x coordinate,y\n1,2\n");
  EXPECT_EQ(table.header, (Names{"x coordinate", "y"}));
  EXPECT_EQ(table.values, (Values{1, 2}));
  EXPECT_EQ(parse("\"x\" ,\"y\"\n\"1\",2\n").header, (Names{"x", "y"}));
}

TEST(Csv, skips_comments_and_blank_lines) {
  const Table table = parse("# made by hand\n\n  \t\nx,y # names\n#1,1\n1,2 # first\n\n3,4");
  EXPECT_EQ(table.header, (Names{"x", "y"}));
  EXPECT_EQ(table.values, (Values{1, 2, 3, 4}));
}

TEST(Csv, reads_windows_lines_and_a_utf8_mark) {
  const Table table = parse("\xEF\xBB\xBFx,y\r\n1,2\r\n\r\n3,4\r\n");
  EXPECT_EQ(table.header, (Names{"x", "y"}));
  EXPECT_EQ(table.values, (Values{1, 2, 3, 4}));
}

TEST(Csv, reads_numbers_in_every_notation) {
  EXPECT_EQ(parse("+1 -2 .5 3. 1e3 1E-3 -0").values, (Values{1, -2, 0.5, 3, 1000, 0.001, -0.0}));
}

TEST(Csv, refuses_files_without_rows) {
  expect_refused("'made.csv' has no rows", "");
  expect_refused("no rows", "\n \n# nothing\n");
  expect_refused("no rows", "x,y\n");
  expect_refused("no rows", "\xEF\xBB\xBF");
}

TEST(Csv, refuses_ragged_rows) {
  expect_refused("line 3 has 1 columns where the lines before have 2", "1,2\n\n3\n");
  expect_refused("line 2 has 3 columns", "1,2\n3,4,5\n");
  expect_refused("line 2 has 3 columns where the lines before have 2", "x,y\n1,2,3\n");
  expect_refused("line 2 has 3 columns", "1,2\n3,4,\n");
}

TEST(Csv, refuses_cells_that_are_not_numbers) {
  expect_refused("line 2 holds 'two' where a number", "1,2\n1,two\n");
  expect_refused("line 1 holds 'two' where a number", "1,two\n");
  expect_refused("line 2 holds '' where a number", "1,2\n1,\n");
  for (const char* cell : {"1x", "0x10", "1e", "--1", "+-1", "++1", "+", "-", "1'000", "1\r2"}) {
    expect_refused("where a number", std::string("0,0\n0,") + cell + "\n");
  }
  // A decimal comma is a second column or an error, never a silent one.
  expect_refused("line 1 holds '1,5'", "1,5;2\n");
}

TEST(Csv, refuses_nan_and_infinity) {
  for (const char* cell : {"nan", "NaN", "-nan", "inf", "-inf", "+inf", "Infinity"}) {
    expect_refused("line 2 holds '" + std::string(cell) + "', which is not a finite number",
                   std::string("1,2\n1,") + cell + "\n");
  }
  expect_refused("not a finite number", "nan,nan\n1,2\n");
}

TEST(Csv, refuses_numbers_no_double_can_hold) {
  expect_refused("line 1 holds '1e999', which is outside the range", "1,1e999\n");
  expect_refused("line 1 holds '-1e999', which is outside the range", "1,-1e999\n");
  expect_refused("outside the range", "1,1e-999\n");
}

TEST(Csv, refuses_the_wrong_number_of_columns) {
  EXPECT_EQ(parse("1,2\n", 2).columns, 2);
  expect_refused("line 1 has 3 columns where 2 are expected", "1,2,3\n", 2);
  expect_refused("line 1 has 3 columns where 2 are expected", "x,y,z\n1,2,3\n", 2);
}

TEST(Csv, refuses_binary_content) {
  expect_refused("line 2 holds a zero byte", std::string("1,2\n1,\0", 7));
  expect_refused("line 1 holds a zero byte", std::string("#\0\n1,2\n", 7));
  expect_refused("line 1 has a column name that is not UTF-8", "\xFFx,y\n1,2\n");
}

TEST(Csv, names_a_file_that_cannot_be_read) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "absent.csv", [&] { read_csv(folder / "absent.csv"); });
}

TEST(Csv, refuses_files_over_the_cap) {
  const TemporaryFolder folder;
  AtomicFile(folder / "large.csv").commit();
  std::filesystem::resize_file(folder / "large.csv", kMaxCsvBytes + 1);  // sparse
  expect_input_error("are allowed for text", [&] { read_csv(folder / "large.csv"); });
}

TEST(Csv, writes_the_shortest_digits) {
  const TemporaryFolder folder;
  write_csv(folder / "file.csv", {"x", "y"}, Values{0.1, 1, -2.5, 1e300}, 2);
  EXPECT_EQ(MappedFile::open(folder / "file.csv").text(), "x,y\n0.1,1\n-2.5,1e+300\n");
}

TEST(Csv, writes_tables_larger_than_one_piece) {
  const TemporaryFolder folder;
  Values values;
  for (int i = 0; i < 300'000; ++i) values.push_back(i / 3.0);
  write_csv(folder / "file.csv", {}, values, 3);
  const Table table = read_csv(folder / "file.csv", 3);
  EXPECT_EQ(table.rows(), 100'000);
  EXPECT_EQ(table.values, values);
}

TEST(Csv, writer_refuses_sizes_that_do_not_fit) {
  const TemporaryFolder folder;
  const auto refused = [&folder](const Names& header, const Values& values, int64_t columns) {
    expect_error(ErrorKind::usage, "file.csv",
                 [&] { write_csv(folder / "file.csv", header, values, columns); });
  };
  refused({}, {1, 2, 3}, 2);
  refused({}, {1}, 0);
  refused({}, {1}, -1);
  refused({"x"}, {1, 2}, 2);
  EXPECT_TRUE(folder.names().empty());
}

TEST(Csv, writer_refuses_names_its_reader_would_not_give_back) {
  const TemporaryFolder folder;
  for (const char* name : {"", "a,b", "a;b", "\"a\"", "#a", "a\nb", " a", "a ", "1", "nan", "1e999",
                           "\xFF", "\xEF\xBB\xBFx"}) {
    expect_error(ErrorKind::usage, "cannot name a column", [&] {
      write_csv(folder / "file.csv", {name, "b"}, Values{1, 2}, 2);
    });
  }
}

TEST(Csv, writer_refuses_values_that_are_not_finite) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::numeric, "row 2 column 1 is nan", [&] {
    write_csv(folder / "file.csv", {}, Values{1, 2, std::nan(""), 4}, 2);
  });
  EXPECT_TRUE(folder.names().empty());
}

RC_GTEST_PROP(Csv, every_finite_double_reads_back_to_its_bits, ()) {
  const auto columns = *rc::gen::inRange<int64_t>(1, 5);
  const auto rows = *rc::gen::inRange<int64_t>(1, 20);
  const auto finite =
      rc::gen::suchThat(rc::gen::map(rc::gen::arbitrary<uint64_t>(),
                                     [](uint64_t b) { return std::bit_cast<double>(b); }),
                        [](double value) { return std::isfinite(value); });
  const Values values = *rc::gen::container<Values>(
      static_cast<size_t>(rows * columns),
      rc::gen::oneOf(finite, rc::gen::element(0.0, -0.0, 5e-324, 1.7976931348623157e308)));
  const TemporaryFolder folder;
  write_csv(folder / "file.csv", {}, values, columns);
  const Table table = read_csv(folder / "file.csv", columns);
  RC_ASSERT(table.rows() == rows);
  for (size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT(std::bit_cast<uint64_t>(table.values[i]) == std::bit_cast<uint64_t>(values[i]));
  }
}

RC_GTEST_PROP(Csv, any_text_is_a_table_or_an_input_error, ()) {
  const std::string alphabet("0123456789+-.eE,; \t\n\r#\"xnaif\0\xFF", 31);
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
  try {
    const Table table = parse(text);
    RC_ASSERT(table.rows() > 0);
    RC_ASSERT(static_cast<size_t>(table.rows() * table.columns) == table.values.size());
    for (const double value : table.values) RC_ASSERT(std::isfinite(value));
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace eqm
