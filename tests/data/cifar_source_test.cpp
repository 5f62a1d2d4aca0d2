#include "eqm/data/cifar_source.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_input_error;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

// One record per label, all its pixels of one value.
std::string records(const std::string& labels, char first_value) {
  std::string file;
  for (const char label : labels) {
    file.push_back(label);
    file.append(kCifarRecord - 1, first_value++);
  }
  return file;
}

void write_set(const TemporaryFolder& folder) {
  for (int i = 1; i <= 5; ++i) {
    const auto value = static_cast<char>('a' + 2 * i);
    write_file(folder / ("data_batch_" + std::to_string(i) + ".bin"), records({3, 9}, value));
  }
  write_file(folder / "test_batch.bin", records({0, 1, 2}, 'x'));
}

TEST(CifarSource, reads_all_batches_of_each_part) {
  const TemporaryFolder folder;
  write_set(folder);
  EXPECT_TRUE(is_cifar_folder(folder.path()));
  const SourcePtr train = open_cifar_folder(folder.path(), Split::train);
  ASSERT_EQ(train->size(), 10);
  for (int64_t i = 0; i < 10; ++i) {
    const Example example = train->get(i);
    EXPECT_EQ(example.shape, (std::vector<int64_t>{3, 32, 32}));
    EXPECT_EQ(example.label, i % 2 == 0 ? 3 : 9);
    EXPECT_EQ(example.bytes, std::vector<std::byte>(3072, static_cast<std::byte>('c' + i)));
  }
  EXPECT_EQ(train->class_names().at(9), "truck");
  EXPECT_EQ(train->name_of(3), (folder / "data_batch_2.bin: example 1").string());
  EXPECT_EQ(open_cifar_folder(folder.path(), Split::test)->size(), 3);
  EXPECT_EQ(open_cifar_file(folder / "data_batch_4.bin")->size(), 2);
}

TEST(CifarSource, takes_class_names_from_the_meta_file) {
  const TemporaryFolder folder;
  write_set(folder);
  write_file(folder / "batches.meta.txt", "a\nb\r\nc\n\n");
  EXPECT_EQ(open_cifar_folder(folder.path(), Split::test)->class_names(), (Names{"a", "b", "c"}));
  expect_input_error("example 0 has label 3, but there are 3 classes",
                     [&] { open_cifar_folder(folder.path(), Split::train); });
}

TEST(CifarSource, refuses_a_meta_file_without_names) {
  const TemporaryFolder folder;
  write_set(folder);
  for (const std::string& text : {std::string(), std::string("\n\n"), std::string("\xff\n")}) {
    write_file(folder / "batches.meta.txt", text);
    expect_input_error("not a list of class names",
                       [&] { open_cifar_folder(folder.path(), Split::test); });
  }
}

TEST(CifarSource, refuses_a_folder_that_lacks_a_batch) {
  const TemporaryFolder folder;
  write_set(folder);
  std::filesystem::remove(folder / "data_batch_3.bin");
  expect_input_error("lacks data_batch_3.bin",
                     [&] { open_cifar_folder(folder.path(), Split::train); });
}

TEST(CifarSource, refuses_truncated_and_empty_batches) {
  const TemporaryFolder folder;
  write_set(folder);
  std::filesystem::resize_file(folder / "test_batch.bin", kCifarRecord + 1);
  expect_input_error("test_batch.bin' has 3074 bytes",
                     [&] { open_cifar_folder(folder.path(), Split::test); });
  std::filesystem::resize_file(folder / "test_batch.bin", 0);
  expect_input_error("has 0 bytes", [&] { open_cifar_folder(folder.path(), Split::test); });
}

TEST(CifarSource, refuses_a_label_without_class) {
  const TemporaryFolder folder;
  write_file(folder / "batch.bin", records({3, 10}, 'a'));
  expect_input_error("example 1 has label 10, but there are 10 classes",
                     [&] { open_cifar_file(folder / "batch.bin"); });
}

}  // namespace
}  // namespace eqm
