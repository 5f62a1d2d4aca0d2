#include "eqm/io/append_file.h"

#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

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
using Open = AppendFile::Open;

TEST(AppendFile, grows_at_its_end) {
  const TemporaryFolder folder;
  AppendFile(folder / "file", Open::create).append("one ");
  AppendFile file(folder / "file", Open::extend);
  file.append("two ");
  file.append("");
  file.append("three");
  file.sync();
  EXPECT_EQ(content_of(folder / "file"), "one two three");
}

TEST(AppendFile, makes_a_missing_file) {
  const TemporaryFolder folder;
  AppendFile(folder / "file", Open::extend).append("text");
  EXPECT_EQ(content_of(folder / "file"), "text");
}

TEST(AppendFile, does_not_create_over_a_file) {
  const TemporaryFolder folder;
  AppendFile(folder / "file", Open::create).append("old");
  expect_error(ErrorKind::io, "File exists", [&] { AppendFile(folder / "file", Open::create); });
  EXPECT_EQ(content_of(folder / "file"), "old");
}

TEST(AppendFile, takes_back_a_record_that_does_not_fit_on_the_disk) {
  const TemporaryFolder folder;
  AppendFile file(folder / "file", Open::create);
  file.append("whole");
  {
    const FileSizeLimit full_disk(4096);
    expect_error(ErrorKind::io, "File too large", [&] { file.append(std::string(9000, 'x')); });
  }
  EXPECT_EQ(content_of(folder / "file"), "whole");
  file.append(", too");
  EXPECT_EQ(content_of(folder / "file"), "whole, too");
}

TEST(AppendFile, says_that_a_disk_is_full) {
  AppendFile file("/dev/full", Open::extend);
  expect_error(ErrorKind::io, "cannot write '/dev/full': No space left",
               [&] { file.append("text"); });
}

TEST(AppendFile, writes_to_a_device_that_cannot_be_synced) {
  AppendFile file("/dev/null", Open::extend);
  file.append("text");
  EXPECT_NO_THROW(file.sync());
}

TEST(AppendFile, refuses_what_cannot_be_appended_to) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "regular", [&] { AppendFile(folder.path(), Open::extend); });
  expect_error(ErrorKind::io, "No such file", [&] { AppendFile(folder / "a/b", Open::extend); });
  expect_error(ErrorKind::io, "cannot write", [] { AppendFile("", Open::extend); });
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(ErrorKind::io, "regular", [&] { AppendFile(folder / "fifo", Open::extend); });
}

}  // namespace
}  // namespace eqm
