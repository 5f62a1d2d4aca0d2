#include "eqm/io/atomic_file.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eqm/io/atomic_folder.h"
#include "eqm/io/mapped_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::FileSizeLimit;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

std::string text_in(const std::filesystem::path& path) {
  return std::string(MappedFile::open(path).text());
}

RC_GTEST_PROP(AtomicFile, holds_what_was_written_piece_by_piece,
              (const std::vector<std::string>& pieces)) {
  const TemporaryFolder folder;
  std::string whole;
  AtomicFile file(folder / "file");
  for (const std::string& piece : pieces) {
    file.write(piece);
    whole += piece;
  }
  file.commit();
  RC_ASSERT(text_in(folder / "file") == whole);
  RC_ASSERT(folder.names() == Names{"file"});
}

TEST(AtomicFile, leaves_the_old_file_until_the_commit) {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  AtomicFile file(folder / "file");
  file.write("new");
  EXPECT_EQ(text_in(folder / "file"), "old");
  file.commit();
  EXPECT_EQ(text_in(folder / "file"), "new");
}

TEST(AtomicFile, removes_the_temporary_when_never_committed) {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  { AtomicFile(folder / "file").write("new"); }
  EXPECT_EQ(text_in(folder / "file"), "old");
  EXPECT_EQ(folder.names(), Names{"file"});
}

TEST(AtomicFile, leaves_nothing_new_when_the_disk_is_full) {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  const std::string large(100'000, 'x');
  {
    const FileSizeLimit full_disk(4096);
    // The first write is cut short at 4096 bytes, the next one fails.
    expect_error(ErrorKind::io, "cannot write", [&] { write_file(folder / "file", large); });
  }
  EXPECT_EQ(text_in(folder / "file"), "old");
  EXPECT_EQ(folder.names(), Names{"file"});
}

TEST(AtomicFile, cannot_be_committed_after_a_failed_write) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "file");
  {
    const FileSizeLimit full_disk(4096);
    EXPECT_THROW(file.write(std::string(100'000, 'x')), Error);
  }
  expect_error(ErrorKind::io, "failed before", [&] { file.commit(); });
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, cannot_be_used_after_the_commit) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "file");
  file.commit();
  expect_error(ErrorKind::io, "committed", [&] { file.write("more"); });
  expect_error(ErrorKind::io, "committed", [&] { file.commit(); });
}

TEST(AtomicFile, gives_the_mode_of_an_ordinary_new_file) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "file", "text");
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat((folder / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0640u);
}

TEST(AtomicFile, writes_through_a_symbolic_link) {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  std::filesystem::create_symlink("file", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(text_in(folder / "file"), "new");
}

TEST(AtomicFile, takes_the_longest_name_a_folder_can_hold) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  write_file(folder / name, "text");
  EXPECT_EQ(text_in(folder / name), "text");
}

TEST(AtomicFile, refuses_a_name_that_is_too_long_and_cleans_up) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_file(folder / std::string(256, 'n'), "text"), Error);
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, refuses_a_missing_folder) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "absent", [&] { write_file(folder / "absent/file", "text"); });
}

TEST(AtomicFile, refuses_a_path_below_a_regular_file) {
  const TemporaryFolder folder;
  write_file(folder / "file", "text");
  expect_error(ErrorKind::io, "Not a directory", [&] { write_file(folder / "file/inner", "x"); });
  EXPECT_EQ(text_in(folder / "file"), "text");
}

TEST(AtomicFile, refuses_a_folder_that_takes_no_files) {
  expect_error(ErrorKind::io, "/proc/eqm-test", [] { write_file("/proc/eqm-test", "text"); });
}

TEST(AtomicFile, refuses_an_unwritable_folder) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  create_folder(folder / "closed");
  std::filesystem::permissions(folder / "closed", std::filesystem::perms::owner_read);
  expect_error(ErrorKind::io, "closed", [&] { write_file(folder / "closed/file", "text"); });
}

TEST(AtomicFile, refuses_to_replace_folders_devices_and_pipes) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "folder", [&] { write_file(folder.path(), "text"); });
  expect_error(ErrorKind::io, "folder", [&] { write_file(folder / "absent/", "text"); });
  expect_error(ErrorKind::io, "folder", [] { write_file("", "text"); });
  expect_error(ErrorKind::io, "not a regular file", [] { write_file("/dev/full", "text"); });
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(ErrorKind::io, "not a regular file", [&] { write_file(folder / "fifo", "text"); });
  EXPECT_EQ(folder.names(), Names{"fifo"});
}

TEST(CreateFolder, makes_the_parents_and_accepts_what_exists) {
  const TemporaryFolder folder;
  create_folder(folder / "a/b/c");
  create_folder(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
}

TEST(CreateFolder, refuses_where_a_file_stands) {
  const TemporaryFolder folder;
  write_file(folder / "file", "text");
  expect_error(ErrorKind::io, "create folder", [&] { create_folder(folder / "file"); });
  expect_error(ErrorKind::io, "create folder", [&] { create_folder(folder / "file/inner"); });
  expect_error(ErrorKind::usage, "no folder was named", [] { create_folder(""); });
}

TEST(SweepTemporaries, removes_what_a_killed_writer_left) {
  const TemporaryFolder folder;
  const pid_t writer = ::fork();
  if (writer == 0) {
    AtomicFile file(folder / "file");
    file.write("half of it");
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
  ASSERT_EQ(folder.names().size(), 1u);
  sweep_temporaries(folder.path());
  EXPECT_EQ(folder.names(), Names{});
}

TEST(SweepTemporaries, are_swept_by_the_next_process_that_writes_there) {
  const TemporaryFolder folder;
  std::ofstream(folder / ".eqm-0123456789abcdef.tmp") << "left by a dead writer";
  create_folder(folder / ".eqm-fedcba9876543210.tmp");
  const AtomicFile living(folder / "other");  // the first write sweeps, and leaves this alone
  EXPECT_EQ(folder.names().size(), 1u);
  write_file(folder / "file", "text");
  EXPECT_EQ(folder.names().size(), 2u);
}

TEST(SweepTemporaries, are_swept_by_the_next_folder_that_is_written_there) {
  const TemporaryFolder folder;
  std::ofstream(folder / ".eqm-0123456789abcdef.tmp") << "left by a dead writer";
  AtomicFolder whole(folder / "made");
  whole.commit();
  EXPECT_EQ(folder.names(), Names{"made"});
}

TEST(SweepTemporaries, leaves_a_living_writer_alone) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "file");
  file.write("text");
  sweep_temporaries(folder.path());
  file.commit();
  EXPECT_EQ(text_in(folder / "file"), "text");
}

TEST(SweepTemporaries, leaves_everything_else) {
  const TemporaryFolder folder;
  Names kept = {".eqm-0123456789abcdef.tmpx", ".eqm-0123456789abcde.tmp", ".eqm-.tmp",
                "eqm-0123456789abcdef.tmp", ".eqm-0123456789ABCDEF.tmp"};
  for (const std::string& name : kept) write_file(folder / name, "text");
  ASSERT_EQ(::mkfifo((folder / ".eqm-0000000000000001.tmp").c_str(), 0600), 0);
  std::filesystem::create_symlink("eqm-0123456789abcdef.tmp", folder / ".eqm-0000000000000002.tmp");
  for (const char digit : {'1', '2'}) {
    kept.push_back(std::string(".eqm-000000000000000") + digit + ".tmp");
  }
  sweep_temporaries(folder.path());
  Names found = folder.names();
  std::sort(found.begin(), found.end());
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(found, kept);
}

TEST(SweepTemporaries, removes_a_folder_that_a_dead_writer_left_with_all_in_it) {
  const TemporaryFolder folder;
  create_folder(folder / ".eqm-0000000000000000.tmp");
  write_file(folder / ".eqm-0000000000000000.tmp" / "half", "written");
  sweep_temporaries(folder.path());
  EXPECT_EQ(folder.names(), Names{});
}

// As a signal handler of a program does that ends.
TEST(LiveTemporaries, are_removed_and_nothing_else_is) {
  const TemporaryFolder folder;
  write_file(folder / "whole", "text");
  AtomicFile first(folder / "first");
  {
    const AtomicFile gone(folder / "gone");
    AtomicFile done(folder / "done");
    done.commit();
  }
  const AtomicFile second(folder / "second");
  ASSERT_EQ(folder.names().size(), 4u);
  remove_live_temporaries();
  Names left = folder.names();
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (Names{"done", "whole"}));
}

TEST(LiveTemporaries, may_be_more_than_are_listed) {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (int i = 0; i < 40; ++i) {
    files.push_back(std::make_unique<AtomicFile>(folder / std::to_string(i)));
  }
  for (const auto& file : files) file->commit();
  EXPECT_EQ(folder.names().size(), 40u);
  const AtomicFile next(folder / "next");  // there are places again
  remove_live_temporaries();
  EXPECT_EQ(folder.names().size(), 40u);
}

TEST(SweepTemporaries, never_throws) {
  const TemporaryFolder folder;
  sweep_temporaries(folder / "absent");
  sweep_temporaries("/proc/1/task");
}

}  // namespace
}  // namespace eqm
