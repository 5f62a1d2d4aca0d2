#include "eqm/data/folder_source.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eqm/io/atomic_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/made_picture.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

using test::expect_error;
using test::expect_input_error;
using test::jpeg_of;
using test::plain_image;
using test::png_of;
using Names = std::vector<std::string>;

class FolderSource : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    create_folder((folder_ / name).parent_path());
    write_file(folder_ / name, content);
  }

  SourcePtr open(const ImageSourceOptions& options = {}) {
    return open_folder_source(folder_.path(), options);
  }

  test::TemporaryFolder folder_;
  std::string red_ = png_of(plain_image(3, 2, 3, 200));
  std::string grey_ = png_of(plain_image(3, 2, 1, 90));
};

TEST_F(FolderSource, reads_png_and_jpeg_with_the_class_of_their_folder) {
  write("dog/b.PNG", png_of(plain_image(3, 2, 3, 10)));
  write("cat/a.jpg", jpeg_of(plain_image(3, 2, 3, 20)));
  write("dog/a.jpeg", jpeg_of(plain_image(3, 2, 3, 30)));
  write("dog/readme.txt", "not an image");
  write("dog/.hidden.png", "not an image");
  const SourcePtr source = open();
  ASSERT_EQ(source->size(), 3);
  EXPECT_EQ(source->class_names(), (Names{"cat", "dog"}));
  const std::vector<int> values = {20, 30, 10};
  const std::vector<int64_t> labels = {0, 1, 1};
  for (int64_t i = 0; i < 3; ++i) {
    const Example example = source->get(i);
    EXPECT_EQ(example.shape, (std::vector<int64_t>{3, 2, 3}));
    EXPECT_EQ(example.label, labels[static_cast<size_t>(i)]);
    EXPECT_EQ(std::to_integer<int>(example.bytes[0]), values[static_cast<size_t>(i)]);
  }
  EXPECT_EQ(source->name_of(0), (folder_ / "cat/a.jpg").string());
}

TEST_F(FolderSource, takes_a_flat_folder_without_labels) {
  write("1.png", red_);
  write("2.png", red_);
  const SourcePtr source = open();
  EXPECT_EQ(source->size(), 2);
  EXPECT_TRUE(source->class_names().empty());
  EXPECT_EQ(source->get(1).label, kNoLabel);
}

TEST_F(FolderSource, stays_grey_only_when_all_are) {
  write("1.png", grey_);
  write("2.png", grey_);
  EXPECT_EQ(open()->get(0).shape, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(open({.channels = 3})->get(0).shape, (std::vector<int64_t>{3, 2, 3}));
  write("3.png", red_);
  EXPECT_EQ(open()->get(0).shape, (std::vector<int64_t>{3, 2, 3}));
  EXPECT_EQ(open({.channels = 1})->get(2).shape, (std::vector<int64_t>{1, 2, 3}));
}

TEST_F(FolderSource, names_a_damaged_image_when_it_is_asked_for) {
  write("cat/1.png", red_);
  write("cat/2.png", red_.substr(0, red_.size() / 2));
  write("cat/3.jpg", "not a picture");
  write("cat/4.png", "");
  const SourcePtr source = open();
  ASSERT_EQ(source->size(), 4);
  EXPECT_EQ(source->get(0).shape.size(), 3u);
  expect_input_error("cat/2.png'", [&] { source->get(1); });
  expect_input_error("cat/3.jpg'", [&] { source->get(2); });
  expect_input_error("cat/4.png'", [&] { source->get(3); });
}

TEST_F(FolderSource, names_an_image_that_cannot_be_opened) {
  write("cat/1.png", red_);
  fs::create_symlink("absent.png", folder_ / "cat/2.png");
  ASSERT_EQ(::mkfifo((folder_ / "cat/3.png").c_str(), 0600), 0);
  const SourcePtr source = open({.channels = 3});
  ASSERT_EQ(source->size(), 3);
  expect_error(ErrorKind::io, "cat/2.png'", [&] { source->get(1); });
  expect_error(ErrorKind::io, "cat/3.png'", [&] { source->get(2); });
}

TEST_F(FolderSource, follows_links_but_not_in_circles) {
  write("cat/1.png", red_);
  fs::create_directory_symlink(folder_.path(), folder_ / "cat/again");
  fs::create_directory_symlink("self", folder_ / "self");
  const test::TemporaryFolder elsewhere;
  write_file(elsewhere / "2.png", red_);
  fs::create_directory_symlink(elsewhere.path(), folder_ / "dog");
  const SourcePtr source = open();
  EXPECT_EQ(source->size(), 2);
  EXPECT_EQ(source->class_names(), (Names{"cat", "dog"}));
}

TEST_F(FolderSource, refuses_a_folder_without_images) {
  write("cat/readme.txt", "text");
  expect_input_error("' has no images", [&] { open(); });
}

TEST_F(FolderSource, refuses_what_is_no_folder) {
  write("file", "text");
  expect_error(ErrorKind::io, "absent", [&] { open_folder_source(folder_ / "absent", {}); });
  expect_error(ErrorKind::io, "file", [&] { open_folder_source(folder_ / "file", {}); });
}

TEST_F(FolderSource, refuses_an_unreadable_class) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everywhere";
  write("cat/1.png", red_);
  write("dog/1.png", red_);
  fs::permissions(folder_ / "dog", fs::perms::none);
  expect_error(ErrorKind::io, "dog", [&] { open(); });
  fs::permissions(folder_ / "dog", fs::perms::owner_all);
}

TEST_F(FolderSource, has_a_fingerprint_of_names_classes_and_sizes) {
  write("cat/1.png", red_);
  write("dog/2.png", red_);
  const uint64_t first = open()->fingerprint();
  EXPECT_EQ(open()->fingerprint(), first);
  EXPECT_NE(open({.channels = 1})->fingerprint(), first);
  write("dog/2.png", png_of(plain_image(40, 30, 3, 7)));
  EXPECT_NE(open()->fingerprint(), first);
  write("dog/2.png", red_);
  EXPECT_EQ(open()->fingerprint(), first);
  fs::rename(folder_ / "dog", folder_ / "fox");
  EXPECT_NE(open()->fingerprint(), first);
}

}  // namespace
}  // namespace eqm
