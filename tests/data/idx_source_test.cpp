#include "eqm/data/idx_source.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/mapped_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/gzip.h"
#include "tests/support/made_idx.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::idx_bytes;
using test::kIdxImages;
using test::kIdxLabels;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

// Three images of 1 x 2 with labels 1, 0, 2.
void write_set(const std::filesystem::path& folder, const std::string& part = "train") {
  create_folder(folder);
  write_file(folder / (part + "-images-idx3-ubyte"), idx_bytes(kIdxImages, {3, 1, 2}, "abcdef"));
  write_file(folder / (part + "-labels-idx1-ubyte"),
             idx_bytes(kIdxLabels, {3}, std::string{1, 0, 2}));
}

// Replaces a file by its gzip.
void compress(const std::filesystem::path& path) {
  write_file(path.string() + ".gz", test::gzipped(MappedFile::open(path).bytes()));
  std::filesystem::remove(path);
}

TEST(IdxSource, reads_images_and_labels_of_each_part) {
  const TemporaryFolder folder;
  write_set(folder.path());
  write_set(folder.path(), "t10k");
  for (const Split split : {Split::train, Split::test}) {
    const SourcePtr source = open_idx_folder(folder.path(), split);
    ASSERT_EQ(source->size(), 3);
    const Example second = source->get(1);
    EXPECT_EQ(second.dtype, Dtype::u8);
    EXPECT_EQ(second.shape, (std::vector<int64_t>{1, 1, 2}));
    EXPECT_EQ(second.bytes, (std::vector<std::byte>{std::byte{'c'}, std::byte{'d'}}));
    EXPECT_EQ(second.label, 0);
    EXPECT_EQ(source->get(2).label, 2);
    EXPECT_EQ(source->class_names(), (Names{"0", "1", "2"}));
  }
  const SourcePtr source = open_idx_folder(folder.path(), Split::test);
  EXPECT_EQ(source->name_of(1), (folder / "t10k-images-idx3-ubyte: example 1").string());
}

TEST(IdxSource, reads_gzipped_files_and_finds_them_by_either_name) {
  const TemporaryFolder folder;
  write_set(folder.path());
  const uint64_t plain = open_idx_folder(folder.path(), Split::train)->fingerprint();
  compress(folder / "train-images-idx3-ubyte");
  EXPECT_EQ(open_idx_folder(folder.path(), Split::train)->fingerprint(), plain);
  compress(folder / "train-labels-idx1-ubyte");
  EXPECT_EQ(open_idx_folder(folder.path(), Split::train)->fingerprint(), plain);
  EXPECT_EQ(open_idx_file(folder / "train-images-idx3-ubyte.gz")->fingerprint(), plain);
}

TEST(IdxSource, knows_the_articles_of_fashion_mnist) {
  const TemporaryFolder folder;
  write_set(folder / "fashion-mnist");
  const SourcePtr source = open_idx_folder(folder / "fashion-mnist", Split::train);
  ASSERT_EQ(source->class_names().size(), 10u);
  EXPECT_EQ(source->class_names().front(), "t-shirt");
  EXPECT_EQ(source->class_names().back(), "ankle boot");
}

TEST(IdxSource, takes_images_of_another_name_without_labels) {
  const TemporaryFolder folder;
  write_file(folder / "faces", idx_bytes(kIdxImages, {3, 1, 2}, "abcdef"));
  const SourcePtr source = open_idx_file(folder / "faces");
  EXPECT_TRUE(source->class_names().empty());
  EXPECT_EQ(source->get(0).label, kNoLabel);
}

TEST(IdxSource, has_a_fingerprint_of_pixels_labels_and_names) {
  const TemporaryFolder folder;
  const auto fingerprint = [&] {
    return open_idx_folder(folder.path(), Split::train)->fingerprint();
  };
  write_set(folder.path());
  const uint64_t first = fingerprint();
  EXPECT_EQ(fingerprint(), first);
  write_file(folder / "train-images-idx3-ubyte", idx_bytes(kIdxImages, {3, 1, 2}, "abcdeF"));
  EXPECT_NE(fingerprint(), first);
  write_file(folder / "train-images-idx3-ubyte", idx_bytes(kIdxImages, {3, 2, 1}, "abcdef"));
  EXPECT_NE(fingerprint(), first);
  write_set(folder.path());
  write_file(folder / "train-labels-idx1-ubyte", idx_bytes(kIdxLabels, {3}, std::string{0, 1, 2}));
  EXPECT_NE(fingerprint(), first);
  write_set(folder / "fashion");
  EXPECT_NE(open_idx_folder(folder / "fashion", Split::train)->fingerprint(), first);
}

TEST(IdxSource, refuses_a_folder_without_the_part) {
  const TemporaryFolder folder;
  write_set(folder.path());
  expect_input_error("no IDX images of its test part",
                     [&] { open_idx_folder(folder.path(), Split::test); });
}

TEST(IdxSource, refuses_missing_labels) {
  const TemporaryFolder folder;
  write_set(folder.path());
  std::filesystem::remove(folder / "train-labels-idx1-ubyte");
  expect_input_error("labels of", [&] { open_idx_folder(folder.path(), Split::train); });
}

TEST(IdxSource, refuses_counts_that_disagree) {
  const TemporaryFolder folder;
  write_set(folder.path());
  write_file(folder / "train-labels-idx1-ubyte",
             idx_bytes(kIdxLabels, {4}, std::string{0, 1, 2, 3}));
  expect_input_error("has 4 labels for the 3 images",
                     [&] { open_idx_folder(folder.path(), Split::train); });
}

TEST(IdxSource, refuses_sets_without_pixels) {
  const TemporaryFolder folder;
  write_file(folder / "none", idx_bytes(kIdxImages, {0, 28, 28}, ""));
  expect_input_error("no pixels", [&] { open_idx_file(folder / "none"); });
  write_file(folder / "thin", idx_bytes(kIdxImages, {9, 0, 28}, ""));
  expect_input_error("no pixels", [&] { open_idx_file(folder / "thin"); });
}

TEST(IdxSource, refuses_damaged_gzip) {
  const TemporaryFolder folder;
  write_set(folder.path());
  compress(folder / "train-images-idx3-ubyte");
  const auto path = folder / "train-images-idx3-ubyte.gz";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  expect_input_error("train-images-idx3-ubyte.gz",
                     [&] { open_idx_folder(folder.path(), Split::train); });
}

TEST(IdxSource, refuses_examples_outside_the_set) {
  const TemporaryFolder folder;
  write_set(folder.path());
  const SourcePtr source = open_idx_folder(folder.path(), Split::train);
  expect_error(ErrorKind::usage, "no example 3 among 3", [&] { source->get(3); });
  expect_error(ErrorKind::usage, "no example -1", [&] { source->name_of(-1); });
}

}  // namespace
}  // namespace eqm
