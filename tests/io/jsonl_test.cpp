#include "eqm/io/jsonl.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include "eqm/io/atomic_file.h"
#include "tests/support/content_of.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::content_of;
using test::expect_error;
using test::FileSizeLimit;
using test::TemporaryFolder;
using Lines = std::vector<std::string>;

ino_t inode_of(const std::filesystem::path& path) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  return status.st_ino;
}

TEST(LineLog, appends_lines_to_what_is_there) {
  const TemporaryFolder folder;
  LineLog(folder / "log").append("{\"step\": 1}");
  LineLog log(folder / "log");
  log.append("{\"step\": 2}");
  log.append("");
  log.flush();
  EXPECT_EQ(content_of(folder / "log"), "{\"step\": 1}\n{\"step\": 2}\n\n");
  EXPECT_EQ(read_lines(folder / "log"), (Lines{"{\"step\": 1}", "{\"step\": 2}", ""}));
}

TEST(LineLog, cuts_a_torn_last_line_off) {
  const TemporaryFolder folder;
  for (const char* torn : {"{\"st", "x", "{\"step\": 3}"}) {
    write_file(folder / "log", std::string("one\ntwo\n") + torn);
    LineLog(folder / "log").append("three");
    EXPECT_EQ(content_of(folder / "log"), "one\ntwo\nthree\n");
  }
}

TEST(LineLog, cuts_a_file_without_a_whole_line_to_nothing) {
  const TemporaryFolder folder;
  write_file(folder / "log", std::string(5000, '\0'));
  LineLog(folder / "log").append("one");
  EXPECT_EQ(content_of(folder / "log"), "one\n");
}

// A file may be torn at any byte; the whole lines before stay.
RC_GTEST_PROP(LineLog, loses_only_the_line_that_was_torn, (const std::vector<int>& numbers)) {
  const TemporaryFolder folder;
  std::string whole;
  for (const int number : numbers) whole += std::to_string(number) + "\n";
  const auto length = *rc::gen::inRange<size_t>(0, whole.size() + 1);
  const std::string torn = whole.substr(0, length);
  write_file(folder / "log", torn);
  Lines lines = read_lines(folder / "log");
  LineLog(folder / "log").append("next");
  lines.push_back("next");
  RC_ASSERT(read_lines(folder / "log") == lines);
  RC_ASSERT(content_of(folder / "log") == torn.substr(0, torn.rfind('\n') + 1) + "next\n");
}

TEST(LineLog, drops_the_lines_that_are_not_to_be_kept) {
  const TemporaryFolder folder;
  write_file(folder / "log", "1\n2\n3\n4\n5");
  LineLog log(folder / "log", [](std::string_view line) { return line != "2"; });
  log.append("6");
  EXPECT_EQ(read_lines(folder / "log"), (Lines{"1", "3", "4", "6"}));
  EXPECT_EQ(folder.names(), Lines{"log"}) << "no temporary stays";
}

TEST(LineLog, drops_the_end_even_when_the_disk_is_full) {
  const TemporaryFolder folder;
  write_file(folder / "log", std::string(3000, 'x') + "\n" + std::string(3000, 'y') + "\n");
  {
    const FileSizeLimit full_disk(1);
    LineLog(folder / "log", [](std::string_view line) { return line.starts_with("x"); });
  }
  EXPECT_EQ(read_lines(folder / "log"), (Lines{std::string(3000, 'x')}));
}

TEST(LineLog, keeps_the_old_file_when_the_new_one_cannot_be_written) {
  const TemporaryFolder folder;
  const std::string content = "drop\n" + std::string(9000, 'x') + "\n";
  write_file(folder / "log", content);
  {
    const FileSizeLimit full_disk(4096);
    expect_error(ErrorKind::io, "log", [&] {
      LineLog(folder / "log", [](std::string_view line) { return line != "drop"; });
    });
  }
  EXPECT_EQ(content_of(folder / "log"), content);
}

TEST(LineLog, leaves_a_good_file_alone) {
  const TemporaryFolder folder;
  write_file(folder / "log", "1\n2\n");
  const ino_t before = inode_of(folder / "log");
  LineLog(folder / "log", [](std::string_view) { return true; });
  EXPECT_EQ(inode_of(folder / "log"), before);
  EXPECT_EQ(content_of(folder / "log"), "1\n2\n");
}

TEST(LineLog, leaves_whole_lines_when_the_disk_is_full) {
  const TemporaryFolder folder;
  LineLog log(folder / "log");
  log.append("one");
  {
    const FileSizeLimit full_disk(100);
    expect_error(ErrorKind::io, "log", [&] { log.append(std::string(200, 'x')); });
  }
  log.append("two");
  EXPECT_EQ(content_of(folder / "log"), "one\ntwo\n");
}

TEST(LineLog, says_that_a_disk_is_full) {
  LineLog log("/dev/full");
  expect_error(ErrorKind::io, "No space left", [&] { log.append("one"); });
}

TEST(LineLog, refuses_a_line_end_within_a_line) {
  const TemporaryFolder folder;
  LineLog log(folder / "log");
  expect_error(ErrorKind::usage, "line end", [&] { log.append("one\ntwo"); });
  EXPECT_EQ(content_of(folder / "log"), "");
}

TEST(LineLog, refuses_folders_and_missing_folders) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "regular", [&] { LineLog(folder.path()); });
  expect_error(ErrorKind::io, "absent", [&] { LineLog(folder / "absent/log"); });
}

TEST(ReadLines, passes_over_a_torn_last_line) {
  const TemporaryFolder folder;
  write_file(folder / "log", "one\n\ntw");
  EXPECT_EQ(read_lines(folder / "log"), (Lines{"one", ""}));
  write_file(folder / "log", "");
  EXPECT_EQ(read_lines(folder / "log"), Lines{});
  expect_error(ErrorKind::io, "absent", [&] { read_lines(folder / "absent"); });
}

}  // namespace
}  // namespace eqm
