#include "eqm/data/mat_source.h"

#include <string>

#include <gtest/gtest.h>

#include "eqm/data/open_source.h"
#include "eqm/io/atomic_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/mat_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;
using test::expect_input_error;
using test::mat_header;
using test::mat_matrix;
using test::mat_packed;
using test::TemporaryFolder;

// By scipy, which counts X up row by row: [4, 5, 3, 6].
fs::path seed_file(const std::string& name) {
  return fs::path(EQM_SOURCE_FOLDER) / "fuzz" / "corpus" / "mat" / name;
}

TEST(MatSource, gives_images_row_by_row_and_ten_as_zero) {
  for (const char* name : {"digits.mat", "plain.mat"}) {
    SCOPED_TRACE(name);
    const SourcePtr source = open_mat_source(seed_file(name));
    ASSERT_EQ(source->size(), 6);
    const std::vector<int64_t> labels = {1, 0, 3, 9, 0, 2};
    for (int64_t n = 0; n < 6; ++n) {
      const Example example = source->get(n);
      EXPECT_EQ(example.label, labels[static_cast<size_t>(n)]);
      ASSERT_EQ(example.shape, (std::vector<int64_t>{3, 4, 5}));
      size_t at = 0;
      for (int c = 0; c < 3; ++c) {
        for (int h = 0; h < 4; ++h) {
          for (int w = 0; w < 5; ++w, ++at) {
            const int value = (((h * 5 + w) * 3 + c) * 6 + static_cast<int>(n)) % 251;
            ASSERT_EQ(std::to_integer<int>(example.bytes[at]), value);
          }
        }
      }
    }
    EXPECT_EQ(source->class_names().size(), 10U);
    EXPECT_EQ(source->class_names().front(), "0");
  }
}

TEST(MatSource, is_found_by_its_content_and_beside_the_other_part) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "svhn");
  fs::copy(seed_file("digits.mat"), folder / "svhn" / "train_32x32.mat");
  const std::string train = (folder / "svhn" / "train_32x32.mat").string();
  EXPECT_EQ(open_source(train, {})->size(), 6);
  expect_input_error("no test part", [&] { open_source(train, {.split = Split::test}); });
  const std::string both = (folder / "svhn").string();
  EXPECT_EQ(open_source(both, {})->size(), 6);
  expect_input_error("no test part", [&] { open_source(both, {.split = Split::test}); });
  write_file(folder / "svhn" / "test_32x32.mat",
             mat_header() + mat_matrix({.shape = {2, 2, 1, 1}}));
  EXPECT_EQ(open_source(train, {.split = Split::test})->size(), 1);
  const SourcePtr test = open_source(both, {.split = Split::test});
  EXPECT_EQ(test->size(), 1);
  EXPECT_EQ(test->get(0).label, kNoLabel) << "there is no y";
}

TEST(MatSource, keeps_labels_that_are_not_svhns) {
  const TemporaryFolder folder;
  const std::string images = mat_matrix({.shape = {1, 1, 1, 2}, .data = "pq"});
  const auto labels = [&](const std::string& y) {
    write_file(
        folder / "set.mat",
        mat_header() + images + mat_packed(mat_matrix({.name = "y", .shape = {1, 2}, .data = y})));
    const SourcePtr source = open_mat_source(folder / "set.mat");
    return std::vector<int64_t>{source->get(0).label, source->get(1).label};
  };
  EXPECT_EQ(labels(std::string("\0\12", 2)), (std::vector<int64_t>{0, 10}));
  EXPECT_EQ(labels("\12\13"), (std::vector<int64_t>{10, 11}));
  EXPECT_EQ(labels("\12\1"), (std::vector<int64_t>{0, 1}));
}

TEST(MatSource, refuses_files_without_such_images_or_labels) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& variables, const std::string& part) {
    write_file(folder / "set.mat", mat_header() + variables);
    expect_input_error(part, [&] { open_mat_source(folder / "set.mat"); });
  };
  const std::string images = mat_matrix({.shape = {2, 2, 1, 1}});
  refused("", "no variable X");
  refused(mat_matrix({.name = "x"}), "no variable X");
  refused(mat_matrix({.shape = {2, 2}}), "U8 [2, 2] in X");
  refused(mat_matrix({.shape = {1, 2, 2, 1}}), "U8 [1, 2, 2, 1] in X");
  refused(mat_matrix({.shape = {2, 2, 1, 0}, .data = ""}), "not images");
  refused(mat_matrix({.shape = {2, 2, 1, 1}, .kind = 8, .storage = 1}), "I8 [2, 2, 1, 1] in X");
  refused(mat_matrix({.kind = 4}), "other things than numbers");
  refused(images + mat_matrix({.name = "y", .shape = {1, 2}, .data = "ab"}), "y [1, 2]");
  refused(images + mat_matrix({.name = "y",
                               .shape = {1, 1},
                               .data = std::string("\0\0\0\0\0\0\xF8\x3F", 8),
                               .kind = 6,
                               .storage = 9}),
          "the label 1.5");
}

}  // namespace
}  // namespace eqm
