#include "eqm/io/output_folder.h"

#include <optional>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

TEST(OutputFolder, goes_with_its_parents_when_nothing_was_written) {
  const TemporaryFolder folder;
  {
    const OutputFolder out(folder / "a/b/c");
    EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
  }
  EXPECT_FALSE(fs::exists(folder / "a"));
  EXPECT_TRUE(fs::exists(folder.path()));
  { const OutputFolder out(folder / "a/b/"); }
  EXPECT_FALSE(fs::exists(folder / "a"));
}

TEST(OutputFolder, stays_with_what_was_written) {
  const TemporaryFolder folder;
  {
    const OutputFolder out(folder / "a/b");
    write_file(folder / "a/b/result", "text");
  }
  EXPECT_TRUE(fs::exists(folder / "a/b/result"));
  {
    const OutputFolder inner(folder / "a/b/pictures");
    const OutputFolder beside(folder / "a/c");
  }
  EXPECT_FALSE(fs::exists(folder / "a/b/pictures"));
  EXPECT_FALSE(fs::exists(folder / "a/c"));
}

TEST(OutputFolder, leaves_empty_folders_of_others_alone) {
  const TemporaryFolder folder;
  create_folder(folder / "mine");
  { const OutputFolder out(folder / "mine"); }
  { const OutputFolder out(folder / "mine/new"); }
  EXPECT_TRUE(fs::is_directory(folder / "mine"));
  EXPECT_FALSE(fs::exists(folder / "mine/new"));
}

TEST(OutputFolder, refuses_bad_places_and_leaves_nothing) {
  const TemporaryFolder folder;
  write_file(folder / "file", "text");
  expect_error(ErrorKind::io, "file", [&] { const OutputFolder out(folder / "file/run"); });
  expect_error(ErrorKind::io, "file", [&] { const OutputFolder out(folder / "file"); });
  EXPECT_TRUE(fs::exists(folder / "file"));
  expect_error(ErrorKind::usage, "no folder", [] { const OutputFolder out(""); });
  const std::string too_long(300, 'x');
  expect_error(ErrorKind::io, too_long, [&] { const OutputFolder out(folder / "new" / too_long); });
  EXPECT_FALSE(fs::exists(folder / "new"));
}

}  // namespace
}  // namespace eqm::test
