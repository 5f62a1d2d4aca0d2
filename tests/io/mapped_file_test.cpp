#include "eqm/io/mapped_file.h"

#include <fstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::TemporaryFolder;

void store(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

RC_GTEST_PROP(MappedFile, shows_the_bytes_of_the_file, (const std::string& content)) {
  const TemporaryFolder folder;
  store(folder / "file", content);
  RC_ASSERT(MappedFile::open(folder / "file").text() == content);
}

TEST(MappedFile, maps_an_empty_file_as_no_bytes) {
  const TemporaryFolder folder;
  store(folder / "empty", "");
  EXPECT_TRUE(MappedFile::open(folder / "empty").bytes().empty());
}

TEST(MappedFile, keeps_the_bytes_when_moved) {
  const TemporaryFolder folder;
  store(folder / "one", "one");
  store(folder / "two", "two");
  MappedFile first = MappedFile::open(folder / "one");
  MappedFile second = std::move(first);
  EXPECT_EQ(second.text(), "one");
  second = MappedFile::open(folder / "two");
  EXPECT_EQ(second.text(), "two");
}

TEST(MappedFile, keeps_the_old_bytes_when_the_file_is_replaced) {
  const TemporaryFolder folder;
  store(folder / "file", "old");
  const MappedFile mapped = MappedFile::open(folder / "file");
  store(folder / "new", "new!");
  std::filesystem::rename(folder / "new", folder / "file");
  EXPECT_EQ(mapped.text(), "old");
}

TEST(MappedFile, refuses_a_missing_file) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "absent", [&] { MappedFile::open(folder / "absent"); });
}

TEST(MappedFile, refuses_a_folder) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "is a folder", [&] { MappedFile::open(folder.path()); });
}

TEST(MappedFile, refuses_a_fifo_without_waiting_for_a_writer) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(ErrorKind::io, "not a regular file", [&] { MappedFile::open(folder / "fifo"); });
}

TEST(MappedFile, refuses_a_device) {
  expect_error(ErrorKind::io, "not a regular file", [] { MappedFile::open("/dev/zero"); });
}

TEST(MappedFile, refuses_an_unreadable_file) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFolder folder;
  store(folder / "secret", "secret");
  std::filesystem::permissions(folder / "secret", std::filesystem::perms::none);
  expect_error(ErrorKind::io, "secret", [&] { MappedFile::open(folder / "secret"); });
}

}  // namespace
}  // namespace eqm
