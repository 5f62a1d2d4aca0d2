#include "eqm/io/folder_lock.h"

#include <csignal>
#include <functional>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/mapped_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

bool can_lock(const fs::path& path) {
  try {
    const FolderLock lock(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// What `question` answers in a child process.
bool in_another_process(const std::function<bool()>& question) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(question() ? 0 : 1);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status) == 0;
}

TEST(FolderLock, has_one_holder_at_a_time) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run";
  {
    const FolderLock lock(path);
    expect_error(ErrorKind::io, "in use by process " + std::to_string(::getpid()),
                 [&] { FolderLock second(path); });
    // The refused one has not taken the first one's lock with it.
    EXPECT_FALSE(can_lock(path));
  }
  EXPECT_TRUE(can_lock(path));
}

TEST(FolderLock, refuses_another_process) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run";
  {
    const FolderLock lock(path);
    EXPECT_FALSE(in_another_process([&] { return can_lock(path); }));
  }
  EXPECT_TRUE(in_another_process([&] { return can_lock(path); }));
}

TEST(FolderLock, ends_with_a_process_that_is_killed) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run";
  int ready[2] = {};
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(path);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  expect_error(ErrorKind::io, "in use by process " + std::to_string(child),
               [&] { FolderLock second(path); });
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(can_lock(path));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FolderLock, is_for_one_folder_only) {
  const TemporaryFolder folder;
  const FolderLock one(folder / "one");
  EXPECT_TRUE(can_lock(folder / "two"));
}

TEST(FolderLock, does_not_mind_what_an_older_process_left) {
  const TemporaryFolder folder;
  const fs::path path = folder.path();
  write_file(path / "run.lock", "99999999999999999999");
  const FolderLock lock(path);
  EXPECT_EQ(MappedFile::open(path / "run.lock").text(), std::to_string(::getpid()));
}

TEST(FolderLock, makes_the_folder_with_its_parents) {
  const TemporaryFolder folder;
  const FolderLock lock(folder / "a/b/c");
  EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
}

TEST(FolderLock, leaves_nothing_behind_but_what_was_written) {
  const TemporaryFolder folder;
  { const FolderLock lock(folder / "a/b"); }
  EXPECT_FALSE(fs::exists(folder / "a"));
  {
    const FolderLock lock(folder / "a/b");
    write_file(folder / "a/b/result", "text");
  }
  EXPECT_TRUE(fs::exists(folder / "a/b/result"));
  EXPECT_FALSE(fs::exists(folder / "a/b/run.lock"));
}

// As a second Ctrl-C does.
TEST(FolderLock, leaves_nothing_behind_when_a_signal_ends_its_holder) {
  const TemporaryFolder folder;
  EXPECT_TRUE(in_another_process([&]() -> bool {
    const FolderLock lock(folder / "a/b");
    remove_live_temporaries();
    ::_exit(0);
  }));
  EXPECT_FALSE(fs::exists(folder / "a"));
}

TEST(FolderLock, once_released_is_no_matter_of_signals) {
  const TemporaryFolder folder;
  { const FolderLock released(folder.path()); }
  write_file(folder / "run.lock", "that of somebody else");
  EXPECT_TRUE(in_another_process([&] {
    remove_live_temporaries();
    return fs::exists(folder / "run.lock");
  }));
}

TEST(FolderLock, refused_leaves_the_lock_of_its_holder) {
  const TemporaryFolder folder;
  const FolderLock lock(folder / "run");
  EXPECT_FALSE(can_lock(folder / "run"));
  EXPECT_TRUE(fs::exists(folder / "run/run.lock"));
}

TEST(FolderLock, refuses_a_place_where_no_folder_can_be) {
  const TemporaryFolder folder;
  write_file(folder / "file", "text");
  expect_error(ErrorKind::io, "file", [&] { FolderLock lock(folder / "file/run"); });
  expect_error(ErrorKind::io, "/proc", [] { FolderLock lock("/proc/eqm-test"); });
}

}  // namespace
}  // namespace eqm::test
