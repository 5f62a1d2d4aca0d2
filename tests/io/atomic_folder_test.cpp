#include "eqm/io/atomic_folder.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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
using Names = std::vector<std::string>;

TEST(AtomicFolder, appears_with_all_its_files_at_the_commit) {
  const TemporaryFolder folder;
  AtomicFolder whole(folder / "made");
  write_file(whole.path() / "a", "one");
  write_file(whole.path() / "b", "two");
  EXPECT_FALSE(std::filesystem::exists(folder / "made"));
  whole.commit();
  EXPECT_EQ(content_of(folder / "made/a"), "one");
  EXPECT_EQ(content_of(folder / "made/b"), "two");
  EXPECT_EQ(folder.names(), Names{"made"});
}

TEST(AtomicFolder, stays_when_the_object_goes) {
  const TemporaryFolder folder;
  {
    AtomicFolder whole(folder / "made");
    write_file(whole.path() / "a", "one");
    whole.commit();
  }
  EXPECT_EQ(content_of(folder / "made/a"), "one");
}

TEST(AtomicFolder, writes_beside_its_target_under_a_hidden_name) {
  const TemporaryFolder folder;
  const AtomicFolder whole(folder / "made");
  EXPECT_EQ(whole.path().parent_path(), folder.path());
  EXPECT_EQ(whole.path().filename().string().front(), '.');
}

TEST(AtomicFolder, leaves_nothing_when_never_committed) {
  const TemporaryFolder folder;
  {
    const AtomicFolder whole(folder / "made");
    write_file(whole.path() / "a", "one");
    create_folder(whole.path() / "inner/deep");
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFolder, leaves_nothing_when_the_disk_is_full) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "cannot write", [&] {
    AtomicFolder whole(folder / "made");
    write_file(whole.path() / "small", "one");
    const FileSizeLimit full_disk(4096);
    write_file(whole.path() / "large", std::string(100'000, 'x'));
    whole.commit();
  });
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFolder, never_replaces_a_folder_that_holds_something) {
  const TemporaryFolder folder;
  create_folder(folder / "made");
  write_file(folder / "made/a", "old");
  {
    AtomicFolder whole(folder / "made");
    write_file(whole.path() / "a", "new");
    expect_error(ErrorKind::io, "made", [&] { whole.commit(); });
  }
  EXPECT_EQ(content_of(folder / "made/a"), "old");
  EXPECT_EQ(folder.names(), Names{"made"});
}

TEST(AtomicFolder, never_replaces_a_file) {
  const TemporaryFolder folder;
  write_file(folder / "made", "old");
  {
    AtomicFolder whole(folder / "made");
    expect_error(ErrorKind::io, "made", [&] { whole.commit(); });
  }
  EXPECT_EQ(content_of(folder / "made"), "old");
  EXPECT_EQ(folder.names(), Names{"made"});
}

TEST(AtomicFolder, refuses_a_missing_parent) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "absent", [&] { AtomicFolder(folder / "absent/made"); });
}

TEST(AtomicFolder, refuses_a_parent_that_takes_no_folders) {
  expect_error(ErrorKind::io, "/proc/eqm-test", [] { AtomicFolder("/proc/eqm-test"); });
}

TEST(AtomicFolder, works_in_the_current_folder) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::optional<std::string> problem;
  try {
    AtomicFolder whole("made");
    write_file(whole.path() / "a", "one");
    whole.commit();
  } catch (const Error& error) {
    problem = error.what();
  }
  std::filesystem::current_path(before);
  EXPECT_EQ(problem, std::nullopt);
  EXPECT_EQ(content_of(folder / "made/a"), "one");
}

TEST(RemoveFolder, removes_everything_inside_and_nothing_else) {
  const TemporaryFolder folder;
  create_folder(folder / "old/inner");
  write_file(folder / "old/inner/a", "one");
  write_file(folder / "other", "two");
  remove_folder(folder / "old");
  EXPECT_EQ(folder.names(), Names{"other"});
}

TEST(RemoveFolder, refuses_what_does_not_exist) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "absent", [&] { remove_folder(folder / "absent"); });
}

}  // namespace
}  // namespace eqm
