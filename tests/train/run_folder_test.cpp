#include "eqm/train/run_folder.h"

#include <csignal>
#include <functional>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/mapped_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

bool can_lock(const RunPaths& paths) {
  try {
    const RunLock lock(paths);
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

TEST(RunLock, has_one_holder_at_a_time) {
  const TemporaryFolder folder;
  const RunPaths paths = {.folder = folder / "run"};
  {
    const RunLock lock(paths);
    expect_error(ErrorKind::io, "in use by process " + std::to_string(::getpid()),
                 [&] { RunLock second(paths); });
    // The refused one has not taken the first one's lock with it.
    EXPECT_FALSE(can_lock(paths));
  }
  EXPECT_TRUE(can_lock(paths));
}

TEST(RunLock, refuses_another_process) {
  const TemporaryFolder folder;
  const RunPaths paths = {.folder = folder / "run"};
  {
    const RunLock lock(paths);
    EXPECT_FALSE(in_another_process([&] { return can_lock(paths); }));
  }
  EXPECT_TRUE(in_another_process([&] { return can_lock(paths); }));
}

TEST(RunLock, ends_with_a_process_that_is_killed) {
  const TemporaryFolder folder;
  const RunPaths paths = {.folder = folder / "run"};
  int ready[2] = {};
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const RunLock lock(paths);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  expect_error(ErrorKind::io, "in use by process " + std::to_string(child),
               [&] { RunLock second(paths); });
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(can_lock(paths));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(RunLock, is_for_one_folder_only) {
  const TemporaryFolder folder;
  const RunLock one({.folder = folder / "one"});
  EXPECT_TRUE(can_lock({.folder = folder / "two"}));
}

TEST(RunLock, does_not_mind_what_an_older_process_left) {
  const TemporaryFolder folder;
  const RunPaths paths = {.folder = folder.path()};
  write_file(paths.lock(), "99999999999999999999");
  const RunLock lock(paths);
  EXPECT_EQ(MappedFile::open(paths.lock()).text(), std::to_string(::getpid()));
}

TEST(RunLock, makes_the_folder_with_its_parents) {
  const TemporaryFolder folder;
  const RunLock lock({.folder = folder / "a/b/c"});
  EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
}

TEST(RunLock, refuses_a_place_where_no_folder_can_be) {
  const TemporaryFolder folder;
  write_file(folder / "file", "text");
  expect_error(ErrorKind::io, "file", [&] { RunLock lock({.folder = folder / "file/run"}); });
  expect_error(ErrorKind::io, "/proc", [] { RunLock lock({.folder = "/proc/eqm-test"}); });
}

TEST(FindModel, takes_a_file_as_it_is) {
  const TemporaryFolder folder;
  write_file(folder / "any.safetensors", "text");
  EXPECT_EQ(find_model(folder / "any.safetensors"), folder / "any.safetensors");
}

TEST(FindModel, takes_the_model_of_a_checkpoint_or_of_a_run_without_one) {
  const TemporaryFolder folder;
  write_file(folder / "model.safetensors", "text");
  EXPECT_EQ(find_model(folder.path()), folder / "model.safetensors");
}

TEST(FindModel, takes_the_latest_checkpoint_of_a_run) {
  const TemporaryFolder folder;
  const RunPaths paths = {.folder = folder.path()};
  for (const char* name : {"step-0000009", "step-0000100", "step-0000020"}) {
    create_folder(paths.checkpoints() / name);
    write_file(paths.checkpoints() / name / "model.safetensors", "text");
  }
  EXPECT_EQ(find_model(folder.path()), paths.checkpoints() / "step-0000100/model.safetensors");
  write_file(paths.model(), "text");  // perhaps of an earlier stop
  EXPECT_EQ(find_model(folder.path()), paths.checkpoints() / "step-0000100/model.safetensors");
}

TEST(FindModel, says_when_a_folder_has_none) {
  const TemporaryFolder folder;
  expect_input_error("no model in the folder", [&] { find_model(folder.path()); });
  create_folder(folder / "checkpoints/.eqm-0123456789abcdef.tmp");
  expect_input_error("no model in the folder", [&] { find_model(folder.path()); });
}

}  // namespace
}  // namespace eqm::test
