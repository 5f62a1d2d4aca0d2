#include "eqm/data/open_source.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/safetensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/gzip.h"
#include "tests/support/made_idx.h"
#include "tests/support/made_picture.h"
#include "tests/support/tar_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;
using test::expect_input_error;
using test::idx_bytes;
using test::plain_image;
using test::png_of;
using test::tar_end;
using test::tar_file;
using Shape = std::vector<int64_t>;

TEST(FashionMnist, is_read_in_full) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  }
  const SourcePtr train = open_source("fashion-mnist", {});
  EXPECT_EQ(train->size(), 60000);
  EXPECT_EQ(train->get(0).shape, (Shape{1, 28, 28}));
  EXPECT_EQ(train->get(0).label, 9);
  EXPECT_EQ(train->get(1).label, 0);
  EXPECT_EQ(train->get(2).label, 0);
  EXPECT_EQ(train->class_names().at(9), "ankle boot");
  const SourcePtr test = open_source("fashion-mnist", {.split = Split::test});
  EXPECT_EQ(test->size(), 10000);
  EXPECT_EQ(test->get(0).label, 9);
  EXPECT_NE(test->fingerprint(), train->fingerprint());
}

// As the Describable Textures come: classes below images/, pictures of many sizes, lists beside
// them.
TEST(Textures, are_read_from_their_folder_and_tar_and_brought_to_one_size) {
  const test::TemporaryFolder folder;
  const std::map<std::string, std::string> files = {
      {"dtd/images/banded/banded_0002.png", png_of(plain_image(30, 20, 3, 10))},
      {"dtd/images/banded/banded_0004.png", png_of(plain_image(16, 40, 3, 20))},
      {"dtd/images/woven/woven_0001.png", png_of(plain_image(17, 17, 3, 30))},
      {"dtd/imdb/imdb.mat", "MATLAB 5.0 MAT-file"},
      {"dtd/labels/train1.txt", "banded/banded_0002.png"}};
  std::string tar;
  for (const auto& [name, content] : files) {
    create_folder((folder / name).parent_path());
    write_file(folder / name, content);
    tar += tar_file(name, content);
  }
  write_file(folder / "dtd.tar", tar + tar_end());
  for (const char* name : {"dtd", "dtd/images", "dtd.tar"}) {
    SCOPED_TRACE(name);
    const SourcePtr source = open_source((folder / name).string(), {.channels = 3, .size = 8});
    ASSERT_EQ(source->size(), 3);
    EXPECT_EQ(source->class_names(), (std::vector<std::string>{"banded", "woven"}));
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(source->get(i).shape, (Shape{3, 8, 8}));
      EXPECT_EQ(source->get(i).label, i / 2);
    }
  }
}

TEST(Mnist, is_read_in_full) {
  SourcePtr train;
  try {
    train = open_source("mnist", {});
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(train->size(), 60000);
  EXPECT_EQ(train->get(0).label, 5);
  EXPECT_EQ(train->class_names().size(), 10u);
  EXPECT_EQ(open_source("mnist", {.split = Split::test})->size(), 10000);
}

class OpenSource : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    create_folder((folder_ / name).parent_path());
    write_file(folder_ / name, content);
  }

  SourcePtr open(const std::string& name, const SourceOptions& options = {}) {
    return open_source((folder_ / name).string(), options);
  }

  void write_idx(const std::string& folder, const std::string& part, uint32_t count) {
    write(folder + "/" + part + "-images-idx3-ubyte",
          idx_bytes(test::kIdxImages, {count, 2, 3}, std::string(6 * count, 'p')));
    write(folder + "/" + part + "-labels-idx1-ubyte",
          idx_bytes(test::kIdxLabels, {count}, std::string(count, '\1')));
  }

  test::TemporaryFolder folder_;
  std::string image_ = png_of(plain_image(3, 2, 3, 20));
  std::string tar_ = tar_file("cat/1.png", image_) + tar_file("dog/1.png", image_) + tar_end();
};

// Places where named sets are looked for, all moved into one folder for the time of a test.
class OtherPlaces {
 public:
  explicit OtherPlaces(const std::filesystem::path& folder)
      : working_folder_(std::filesystem::current_path()) {
    for (const char* name : {"EQM_DATA", "HOME"}) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      ::setenv(name, folder.c_str(), 1);
    }
    std::filesystem::current_path(folder);
  }
  OtherPlaces(const OtherPlaces&) = delete;
  OtherPlaces& operator=(const OtherPlaces&) = delete;
  ~OtherPlaces() {
    for (const char* name : {"EQM_DATA", "HOME"}) {
      if (before_.contains(name)) {
        ::setenv(name, before_[name].c_str(), 1);
      } else {
        ::unsetenv(name);
      }
    }
    std::filesystem::current_path(working_folder_);
  }

 private:
  std::map<std::string, std::string> before_;
  std::filesystem::path working_folder_;
};

TEST_F(OpenSource, looks_for_mnist_in_three_places) {
  const OtherPlaces places(folder_.path());
  const auto size = [] { return open_source("mnist", {})->size(); };
  write_idx(".cache/eqm/mnist", "train", 3);
  EXPECT_EQ(size(), 3);
  write_idx("data/mnist", "train", 4);
  EXPECT_EQ(size(), 4);
  write_idx("mnist", "train", 5);
  EXPECT_EQ(size(), 5);
}

TEST_F(OpenSource, says_where_to_get_mnist) {
  const OtherPlaces places(folder_.path());
  try {
    open_source("mnist", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.hint(), "run scripts/get_mnist.sh");
  }
}

TEST_F(OpenSource, suggests_the_nearest_name) {
  try {
    open_source("fashion-mnst", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(error.hint(), "did you mean 'fashion-mnist'?");
  }
}

TEST_F(OpenSource, refuses_a_path_that_is_not_there) {
  expect_error(ErrorKind::io, "absent", [&] { open("absent"); });
}

TEST_F(OpenSource, tells_files_by_their_content) {
  write_idx("idx", "train", 4);
  EXPECT_EQ(open("idx/train-images-idx3-ubyte")->size(), 4);
  write("images", tar_);
  EXPECT_EQ(open("images")->class_names().size(), 2u);
  write_file(folder_ / "packed", test::gzipped(std::as_bytes(std::span(tar_))));
  EXPECT_EQ(open("packed")->size(), 2);
  // A dark airplane that begins like an IDX file.
  write("batch.bin", std::string("\0\0\x08\x03", 4) + std::string(2 * 3073 - 4, '\1'));
  EXPECT_EQ(open("batch.bin")->get(1).shape, (Shape{3, 32, 32}));
  const std::vector<float> states = {1, 2, 3, 4};
  write_safetensors(
      folder_ / "states",
      {{"x", {.dtype = Dtype::f32, .shape = {2, 2}, .bytes = std::as_bytes(std::span(states))}}});
  EXPECT_EQ(open("states")->get(0).dtype, Dtype::f32);
}

TEST_F(OpenSource, tells_folders_by_their_content) {
  write_idx("idx", "train", 4);
  write_idx("idx", "t10k", 2);
  EXPECT_EQ(open("idx")->size(), 4);
  EXPECT_EQ(open("idx", {.split = Split::test})->size(), 2);
  write("cifar/test_batch.bin", std::string(2 * 3073, '\1'));
  EXPECT_EQ(open("cifar", {.split = Split::test})->size(), 2);
  write("tars/train.tar", tar_);
  write("tars/test.tar", tar_file("cat/1.png", image_) + tar_end());
  EXPECT_EQ(open("tars")->size(), 2);
  EXPECT_EQ(open("tars", {.split = Split::test})->size(), 1);
  write("images/cat/1.png", image_);
  EXPECT_EQ(open("images")->size(), 1);
}

TEST_F(OpenSource, finds_the_test_part_beside_a_file) {
  write("set/train.tar", tar_);
  write("set/test.tar", tar_file("cat/1.png", image_) + tar_end());
  EXPECT_EQ(open("set/train.tar", {.split = Split::test})->size(), 1);
  write_idx("idx", "train", 4);
  write_idx("idx", "t10k", 2);
  EXPECT_EQ(open("idx/train-images-idx3-ubyte", {.split = Split::test})->size(), 2);
}

TEST_F(OpenSource, refuses_a_test_part_that_is_not_there) {
  write("set/train.tar", tar_);
  expect_input_error("no test part", [&] { open("set/train.tar", {.split = Split::test}); });
  write("images/cat/1.png", image_);
  expect_input_error("no test part", [&] { open("images", {.split = Split::test}); });
  write("batch.bin", std::string(3073, '\1'));
  expect_input_error("no test part", [&] { open("batch.bin", {.split = Split::test}); });
}

TEST_F(OpenSource, refuses_files_that_are_no_sets) {
  write("one.png", image_);
  expect_input_error("is one picture", [&] { open("one.png"); });
  write("notes.txt", "text");
  expect_input_error("not a data set", [&] { open("notes.txt"); });
  write("empty", "");
  expect_input_error("not a data set", [&] { open("empty"); });
  create_folder(folder_ / "nothing");
  expect_input_error("has no images", [&] { open("nothing"); });
}

TEST_F(OpenSource, brings_images_to_size_and_channels) {
  write("images/1.png", png_of(plain_image(30, 20, 3, 70)));
  write("images/2.png", png_of(plain_image(10, 40, 1, 70)));
  const SourcePtr source = open("images", {.channels = 1, .size = 8});
  for (const int64_t i : {0, 1}) {
    EXPECT_EQ(source->get(i).shape, (Shape{1, 8, 8}));
    EXPECT_EQ(source->get(i).bytes, std::vector<std::byte>(64, std::byte{70}));
  }
  write_idx("idx", "train", 4);
  const SourcePtr coloured = open("idx", {.channels = 3});
  EXPECT_EQ(coloured->get(0).shape, (Shape{3, 2, 3}));
  EXPECT_EQ(coloured->get(0).label, 1);
  EXPECT_NE(coloured->fingerprint(), open("idx")->fingerprint());
  EXPECT_EQ(open("idx", {.channels = 1})->fingerprint(), open("idx")->fingerprint());
}

TEST_F(OpenSource, names_the_first_image_of_another_size) {
  write("images/1.png", image_);
  write("images/2.png", image_);
  write("images/3.png", png_of(plain_image(2, 3, 3, 20)));
  try {
    open("images");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(
        std::string(error.what()).find("3.png' is U8 [3, 3, 2] where others are U8 [3, 2, 3]"),
        std::string::npos);
    EXPECT_NE(error.hint().find("{size}"), std::string::npos);
  }
  EXPECT_EQ(open("images", {.size = 2})->size(), 3);
}

TEST_F(OpenSource, opens_sets_with_some_damaged_images) {
  write("images/1.png", "damaged");
  write("images/2.png", image_);
  const SourcePtr source = open("images");
  EXPECT_EQ(source->get(1).shape, (Shape{3, 2, 3}));
  expect_input_error("1.png", [&] { source->get(0); });
  write("images/2.png", "damaged");
  expect_input_error("1.png", [&] { open("images"); });
}

TEST_F(OpenSource, refuses_options_out_of_range) {
  write("images/1.png", image_);
  for (const int64_t channels : {-1, 2, 4}) {
    expect_error(ErrorKind::usage, "channels", [&] { open("images", {.channels = channels}); });
  }
  for (const int64_t size : {-1, 1'000'000}) {
    expect_error(ErrorKind::usage, "cannot have size", [&] { open("images", {.size = size}); });
  }
}

TEST_F(OpenSource, refuses_to_crop_what_is_not_pixels) {
  const std::vector<float> states = {1, 2, 3, 4};
  write_safetensors(
      folder_ / "states",
      {{"x", {.dtype = Dtype::f32, .shape = {2, 2}, .bytes = std::as_bytes(std::span(states))}}});
  expect_error(ErrorKind::usage, "not pixels", [&] { open("states", {.size = 8}); });
  expect_error(ErrorKind::usage, "not pixels", [&] { open("states", {.channels = 3}); });
}

}  // namespace
}  // namespace eqm
