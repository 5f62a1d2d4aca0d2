#include "eqm/data/tar_source.h"

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/gzip.h"
#include "tests/support/made_picture.h"
#include "tests/support/tar_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::plain_image;
using test::png_of;
using test::tar_end;
using test::tar_file;
using Names = std::vector<std::string>;

class TarSource : public ::testing::Test {
 protected:
  SourcePtr open(const std::string& tar, const ImageSourceOptions& options = {}) {
    write_file(folder_ / "set.tar", tar);
    return open_tar_source(folder_ / "set.tar", options);
  }

  test::TemporaryFolder folder_;
  std::string dark_ = png_of(plain_image(3, 2, 3, 20));
  std::string light_ = png_of(plain_image(3, 2, 3, 200));
  std::string set_ = tar_file("dog/1.png", light_) + tar_file("cat/1.png", dark_) +
                     tar_file("cat/notes.txt", "text") + tar_end();
};

TEST_F(TarSource, reads_images_with_the_class_of_their_path) {
  const SourcePtr source = open(set_);
  ASSERT_EQ(source->size(), 2);
  EXPECT_EQ(source->class_names(), (Names{"cat", "dog"}));
  EXPECT_EQ(source->get(0).label, 0);
  EXPECT_EQ(source->get(0).bytes, std::vector<std::byte>(18, std::byte{20}));
  EXPECT_EQ(source->get(1).label, 1);
  EXPECT_EQ(source->name_of(1), (folder_ / "set.tar: dog/1.png").string());
}

TEST_F(TarSource, reads_the_same_when_gzipped) {
  const uint64_t plain = open(set_)->fingerprint();
  const auto packed = test::gzipped(std::as_bytes(std::span(set_)));
  write_file(folder_ / "set.tar.gz", packed);
  const SourcePtr source = open_tar_source(folder_ / "set.tar.gz", {});
  EXPECT_EQ(source->fingerprint(), plain);
  EXPECT_EQ(source->get(1).bytes, std::vector<std::byte>(18, std::byte{200}));
}

TEST_F(TarSource, takes_files_at_the_top_without_labels) {
  const SourcePtr source = open(tar_file("1.png", dark_) + tar_file("./2.png", light_) + tar_end());
  EXPECT_EQ(source->size(), 2);
  EXPECT_TRUE(source->class_names().empty());
}

TEST_F(TarSource, chooses_the_part) {
  const std::string tar = tar_file("train/cat/1.png", dark_) + tar_file("test/cat/1.png", light_) +
                          tar_file("test/dog/1.png", light_) + tar_end();
  EXPECT_EQ(open(tar)->size(), 1);
  const SourcePtr test = open(tar, {.split = Split::test});
  EXPECT_EQ(test->size(), 2);
  EXPECT_EQ(test->class_names(), (Names{"cat", "dog"}));
}

TEST_F(TarSource, names_a_damaged_image_within_the_tar) {
  const SourcePtr source =
      open(tar_file("cat/1.png", dark_) + tar_file("cat/2.png", dark_.substr(0, 40)) + tar_end());
  EXPECT_EQ(source->get(0).label, 0);
  expect_input_error("set.tar: cat/2.png'", [&] { source->get(1); });
}

TEST_F(TarSource, refuses_damaged_and_empty_tars) {
  expect_input_error("set.tar'", [&] { open(""); });
  expect_input_error("set.tar'", [&] { open("not a tar"); });
  expect_input_error("set.tar' has no images", [&] { open(tar_end()); });
  expect_input_error("set.tar' has no images", [&] { open(tar_file("a/b.txt", "x") + tar_end()); });
  expect_input_error("set.tar'", [&] { open(set_.substr(0, 700)); });
  expect_error(ErrorKind::io, "absent", [&] { open_tar_source(folder_ / "absent", {}); });
}

TEST_F(TarSource, has_a_fingerprint_of_names_and_sizes) {
  const uint64_t first = open(set_)->fingerprint();
  EXPECT_EQ(open(set_)->fingerprint(), first);
  EXPECT_NE(open(tar_file("dog/1.png", png_of(plain_image(30, 20, 3, 1))) +
                 tar_file("cat/1.png", dark_) + tar_end())
                ->fingerprint(),
            first);
}

}  // namespace
}  // namespace eqm
