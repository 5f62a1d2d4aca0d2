#include "eqm/data/formats.h"

#include <set>

#include <gtest/gtest.h>

#include "eqm/data/open_path.h"
#include "eqm/io/atomic_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

TEST(DataFormats, have_names_of_their_own_and_a_way_to_open_them) {
  std::set<std::string_view> names;
  std::set<FileKind> kinds;
  for (const DataFormat& format : data_formats()) {
    SCOPED_TRACE(format.name);
    EXPECT_TRUE(names.insert(format.name).second);
    EXPECT_FALSE(format.what.empty());
    EXPECT_FALSE(format.help.empty());
    const bool has_files = format.file_kind != FileKind::unknown || !format.file_ending.empty();
    EXPECT_EQ(has_files, format.open_file != nullptr);
    EXPECT_EQ(format.is_folder != nullptr, format.open_folder != nullptr);
    EXPECT_TRUE(has_files || format.is_folder != nullptr);
    if (format.file_kind != FileKind::unknown) {
      EXPECT_TRUE(kinds.insert(format.file_kind).second);
    }
  }
}

TEST(DataFormats, are_all_named_where_a_file_is_none_of_them) {
  const test::TemporaryFolder folder;
  write_file(folder / "notes.txt", "words");
  try {
    open_path(folder / "notes.txt", {});
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    for (const DataFormat& format : data_formats()) {
      EXPECT_NE(error.hint().find(format.what), std::string::npos) << error.hint();
    }
  }
}

TEST(DataFormats, find_the_test_part_beside_the_training_part) {
  const test::TemporaryFolder folder;
  write_file(folder / "train-x.npz", "");
  EXPECT_TRUE(test_part_beside(folder / "train-x.npz").empty());
  write_file(folder / "val-x.npz", "");
  EXPECT_EQ(test_part_beside(folder / "train-x.npz"), folder / "val-x.npz");
  write_file(folder / "test-x.npz", "");
  EXPECT_EQ(test_part_beside(folder / "train-x.npz"), folder / "test-x.npz");
  EXPECT_TRUE(test_part_beside(folder / "val-x.npz").empty());
}

}  // namespace
}  // namespace eqm
