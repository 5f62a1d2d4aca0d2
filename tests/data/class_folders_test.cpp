#include "eqm/data/class_folders.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "eqm/data/class_names.h"
#include "eqm/data/memory_source.h"
#include "eqm/data/packed_source.h"
#include "eqm/io/text.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

using Names = std::vector<std::string>;

TEST(ClassFolders, are_the_names_where_a_folder_may_be_called_so) {
  EXPECT_EQ(class_folders({"coat", "ankle boot", "été"}), (Names{"coat", "ankle boot", "été"}));
  EXPECT_EQ(class_folders({"t-shirt/top", "..", "", "a\nb", "test"}),
            (Names{"t-shirt-top", "_..", "_", "a-b", "_test"}));
  EXPECT_EQ(class_folders({"crane", "ship", "crane", "crane"}),
            (Names{"crane", "ship", "crane-2", "crane-3"}));
  EXPECT_LT(class_folders({std::string(1000, 'x')})[0].size(), 255U);
}

TEST(ClassFolders, of_long_names_end_with_a_whole_character) {
  for (const std::string character : {"é", "猫", "🐈"}) {
    for (size_t shift = 0; shift < 4; ++shift) {
      std::string name(shift, 'x');
      while (name.size() < 300) name += character;
      const std::string folder = class_folders({name})[0];
      EXPECT_TRUE(name.starts_with(folder));
      EXPECT_EQ((folder.size() - shift) % character.size(), 0U) << folder;
      EXPECT_GT(folder.size(), 200 - character.size());
      EXPECT_LE(folder.size(), 200U);
    }
  }
  EXPECT_EQ(class_folders({std::string(300, '\x80')})[0].size(), 200U);  // no UTF-8 at all
}

TEST(ClassFolders, of_classes_without_names_sort_like_numbers) {
  const Names folders = numbered_folders(11);
  EXPECT_EQ(folders.front(), "00");
  EXPECT_EQ(folders.back(), "10");
  EXPECT_TRUE(std::ranges::is_sorted(folders));
}

TEST(MatchClasses, finds_classes_by_name_by_folder_and_by_number) {
  const Names known = {"t-shirt/top", "bag", "crane", "crane"};
  EXPECT_EQ(match_classes({"bag", "crane", "crane-3", "t-shirt-top"}, known),
            (std::vector<int64_t>{1, 2, 3, 0}));
  EXPECT_EQ(match_classes({"3", "0001", "4", "-1", "dog", ""}, known),
            (std::vector<int64_t>{3, 1, -1, -1, -1, -1}));
  EXPECT_EQ(match_classes(class_folders(known), known), (std::vector<int64_t>{0, 1, 2, 3}));
  // Labels without names are numbers, also where classes are called by other numbers.
  const std::vector<std::byte> pixels(2);
  const auto numbered = packed_source({.file = "x",
                                       .shape = {1, 1, 1},
                                       .count = 2,
                                       .bytes = pixels,
                                       .labels = {0, 1},
                                       .classes = {"0", "1"},
                                       .owner = {}});
  EXPECT_EQ(match_classes(*numbered, {"1", "0"}), (std::vector<int64_t>{0, 1}));
  const Example example = {
      .shape = {1, 1, 1}, .bytes = {pixels.begin(), pixels.begin() + 1}, .label = 0};
  EXPECT_EQ(match_classes(*memory_source({example}, {"0", "1"}, "x"), {"1", "0"}),
            (std::vector<int64_t>{1, 0}));
}

TEST(ClassNames, are_read_without_the_mark_of_windows_editors) {
  const TemporaryFolder folder;
  write_file(folder / "names.txt",
             "\xEF\xBB\xBF"
             "coat\r\nbag\r\n");
  EXPECT_EQ(read_class_names(folder / "names.txt", "hint"), (Names{"coat", "bag"}));
}

}  // namespace
}  // namespace eqm::test
